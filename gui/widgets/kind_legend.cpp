#include "gui/widgets/kind_legend.h"

#include <QPainter>
#include <algorithm>

#include "gui/core/text.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/timeline_paint.h"
#include "profiler/sinks/kind_names.h"

namespace lockstep::gui {
namespace {
constexpr int kSwatchPx = 26, kApartPx = 16;
}  // namespace

KindLegend::KindLegend(QWidget* parent) : QWidget(parent) {
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setAccessibleName("Legend");
}

void KindLegend::set_kinds(std::vector<activity::Kind> kinds, bool planned) {
  kinds_ = std::move(kinds), planned_ = planned;
  QStringList names;
  for (const Entry& entry : placed(1 << 20)) names << entry.text;
  setAccessibleDescription(names.join(", "));
  updateGeometry();
  update();
}

std::vector<KindLegend::Entry> KindLegend::placed(int width) const {
  std::vector<Entry> out;
  for (const activity::Kind kind : kinds_) out.push_back({qt(std::string(profiler::kind_name(kind))), kind, false, {}});
  if (planned_) out.push_back({"planned", activity::Kind::compute, true, {}});
  out.push_back({"several: the longest; pale: idle", activity::Kind::compute, false, {}});
  const int height = fontMetrics().height() + 4;
  int x = 0, y = 0;
  for (Entry& entry : out) {
    const int needed = kSwatchPx + 5 + fontMetrics().horizontalAdvance(entry.text);
    if (x > 0 && x + needed > width) x = 0, y += height;
    entry.rect = {x, y, needed, height};
    x += needed + kApartPx;
  }
  return out;
}

int KindLegend::heightForWidth(int width) const { return placed(width).back().rect.bottom() + 1; }
QSize KindLegend::sizeHint() const { return {600, heightForWidth(600)}; }

QSize KindLegend::minimumSizeHint() const {
  int widest = 0;
  for (const Entry& entry : placed(1 << 20)) widest = std::max(widest, entry.rect.width());
  return {widest + 4, fontMetrics().height() + 4};
}

void KindLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const std::vector<Entry> entries = placed(width());
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const QRect swatch(entry.rect.left(), entry.rect.top() + 2, kSwatchPx, entry.rect.height() - 5);
    if (i + 1 == entries.size()) {
      paint_folded_swatch(painter, swatch);
    } else {
      paint_swatch(painter, swatch, entry.kind, entry.planned);
    }
    painter.setPen(text_color());
    painter.drawText(entry.rect.adjusted(kSwatchPx + 5, 0, 4, 0), Qt::AlignVCenter | Qt::AlignLeft, entry.text);
  }
}

}  // namespace lockstep::gui
