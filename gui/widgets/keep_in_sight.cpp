#include "gui/widgets/keep_in_sight.h"

#include <QApplication>
#include <QLayout>
#include <QPointer>
#include <QScrollArea>
#include <QScrollBar>

namespace lockstep::gui {
namespace {

int top_of(const QScrollArea& area, const QWidget& widget) { return widget.mapTo(area.widget(), QPoint(0, 0)).y(); }

/// The topmost widget without children of its own layout whose lower end is in sight.
QWidget* first_seen(const QScrollArea& area) {
  const int sight = area.verticalScrollBar()->value();
  QWidget* first = nullptr;
  for (QWidget* widget : area.widget()->findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->layout() != nullptr) continue;
    const int top = top_of(area, *widget);
    if (top + widget->height() <= sight) continue;
    if (first == nullptr || top < top_of(area, *first)) first = widget;
  }
  return first;
}

/// Layouts inside take their new sizes, the innermost first, so that the heights above are known at once.
void settle(QWidget& widget) {
  const QList<QWidget*> inside = widget.findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
  for (QWidget* child : inside) {
    if (child->layout() != nullptr) settle(*child);
  }
  if (widget.layout() != nullptr) widget.layout()->activate();
}

}  // namespace

void keep_in_sight(QScrollArea& area, const std::function<void()>& change) {
  QScrollBar* bar = area.verticalScrollBar();
  const QPointer<QWidget> seen = area.widget() != nullptr && bar->value() > 0 ? first_seen(area) : nullptr;
  const int above = seen.isNull() ? 0 : bar->value() - top_of(area, *seen);
  area.setUpdatesEnabled(false);
  change();
  settle(*area.widget());
  QApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  if (!seen.isNull()) bar->setValue(top_of(area, *seen) + above);
  area.setUpdatesEnabled(true);
}

}  // namespace lockstep::gui
