#include "gui/widgets/flow_layout.h"

#include <algorithm>

namespace lockstep::gui {

namespace {
constexpr int kAcross = 12, kDown = 4;
}

FlowLayout::FlowLayout() { setContentsMargins(0, 0, 0, 0); }
FlowLayout::~FlowLayout() = default;

void FlowLayout::addItem(QLayoutItem* item) { items_.emplace_back(item); }

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? items_[static_cast<size_t>(index)].get() : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  if (itemAt(index) == nullptr) return nullptr;
  QLayoutItem* out = items_[static_cast<size_t>(index)].release();
  items_.erase(items_.begin() + index);
  return out;
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  place(rect, true);
}

QSize FlowLayout::minimumSize() const {
  QSize out;
  for (const auto& item : items_) out = out.expandedTo(item->isEmpty() ? QSize() : item->sizeHint());
  return out;
}

int FlowLayout::place(const QRect& rect, bool moves) const {
  int x = rect.x(), y = rect.y(), line = 0;
  for (const auto& item : items_) {
    if (item->isEmpty()) continue;
    const QSize size = item->sizeHint();
    if (x > rect.x() && x + size.width() > rect.x() + rect.width()) x = rect.x(), y += line + kDown, line = 0;
    if (moves) item->setGeometry({{x, y}, QSize(std::min(size.width(), rect.width()), size.height())});
    x += size.width() + kAcross;
    line = std::max(line, size.height());
  }
  return y + line - rect.y();
}

}  // namespace lockstep::gui
