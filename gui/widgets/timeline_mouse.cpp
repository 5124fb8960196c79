// The mouse on a timeline: wheel zooms at the cursor, drag pans, Shift and drag chooses an area.
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <cmath>

#include "gui/core/text.h"
#include "gui/core/timeline/describe.h"
#include "gui/widgets/timeline_view.h"

namespace lockstep::gui {

using timeline::Line;

namespace {
constexpr int kClickPx = 4;  // less is no drag
constexpr double kNotch = 120;
}  // namespace

void TimelineView::wheelEvent(QWheelEvent* event) {
  event->accept();
  const QPoint angle = event->angleDelta();
  const bool along = event->modifiers() & Qt::ShiftModifier || std::abs(angle.x()) > std::abs(angle.y());
  const double notches = (along && angle.x() != 0 ? angle.x() : angle.y()) / kNotch;
  const QPoint position = event->position().toPoint();
  if (position.x() < names_width_ || event->modifiers() & Qt::ControlModifier) {
    bar_->setValue(bar_->value() - static_cast<int>(notches * 3 * layout_.lane_px));
  } else if (along) {
    want_range(timeline::moved(view_.time, -notches * view_.time.length() / 8, whole()));
  } else {
    const double at = view_.ns_of(position.x() - lines_rect().left());
    want_range(timeline::zoomed(view_.time, std::pow(0.8, notches), at, whole()));
  }
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !launch_) return;
  setFocus(Qt::MouseFocusReason);
  pressed_ = event->position().toPoint();
  pressed_range_ = view_.time, pressed_scroll_ = bar_->value();
  dragged_ = false;
  if (strip_rect().contains(pressed_)) {
    drag_ = Drag::strip;
    mouseMoveEvent(event);
  } else if (lines_rect().contains(pressed_) || ruler_rect().contains(pressed_)) {
    drag_ = event->modifiers() & Qt::ShiftModifier ? Drag::area : Drag::pan;
  } else {
    drag_ = Drag::none;
  }
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
  const QPoint now = event->position().toPoint(), moved = now - pressed_;
  if (!(event->buttons() & Qt::LeftButton)) return tell(now, event->globalPosition().toPoint());
  if (moved.manhattanLength() >= kClickPx) dragged_ = true;
  const timeline::Range all = whole();
  if (drag_ == Drag::strip) {
    const double at = all.begin_ns + (now.x() - strip_rect().left()) * all.length() / strip_rect().width();
    want_range(timeline::moved(view_.time, at - view_.time.length() / 2 - view_.time.begin_ns, all));
  } else if (drag_ == Drag::pan && dragged_) {
    bar_->setValue(pressed_scroll_ - moved.y());
    want_range(timeline::moved(pressed_range_, -moved.x() * view_.ns_per_px(), all));
  } else if (drag_ == Drag::area && dragged_) {
    const int left = lines_rect().left();
    const int last = static_cast<int>(layout_.lines.size()) - 1;
    const auto line_at = [&](const QPoint& position) {
      if (position.y() < lines_rect().top()) return 0;
      const int line = line_under(position);
      return line < 0 ? last : line;
    };
    area_from_ = line_at(pressed_), area_to_ = line_at(now);
    set_area(area_between(view_.ns_of(pressed_.x() - left), view_.ns_of(now.x() - left), area_from_, area_to_));
  }
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !launch_) return;
  const Drag drag = std::exchange(drag_, Drag::none);
  if (drag == Drag::area && dragged_) return want_area(area_);
  if (dragged_ || drag == Drag::strip) return;
  const int line = line_under(pressed_);
  if (line >= 0) focus_line(line);
  if (names_rect().contains(pressed_)) {
    const bool head = line >= 0 && layout_.lines[static_cast<size_t>(line)].type == Line::head;
    if (head) Q_EMIT collapse_wanted(layout_.lines[static_cast<size_t>(line)].rank);
    return;
  }
  const auto box = box_under(pressed_);
  select(box ? std::optional(box->activity) : std::nullopt);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto box = box_under(event->position().toPoint());
  if (!box) return;
  const timeline::Columns& columns = launch_->timeline.columns;
  const uint32_t last = box->first + box->count - 1;
  want_range(timeline::around(static_cast<double>(columns.begin_ns[box->first]),
                              static_cast<double>(columns.end_ns[last]), whole()));
}

void TimelineView::contextMenuEvent(QContextMenuEvent* event) {
  const int line = event->reason() == QContextMenuEvent::Mouse ? line_under(event->pos()) : focused_;
  if (line < 0) return;
  focus_line(line);
  const Line at = layout_.lines[static_cast<size_t>(line)];
  QMenu menu(this);
  menu.addAction(QString(at.collapsed ? "Expand rank %1" : "Collapse rank %1").arg(at.rank), this,
                 [&] { Q_EMIT collapse_wanted(at.rank); });
  menu.addAction(QString(at.pinned ? "Unpin rank %1" : "Pin rank %1 to the top").arg(at.rank), this,
                 [&] { Q_EMIT pin_wanted(at.rank); });
  menu.addAction("Choose what is seen of this line as the area", this, [&] {
    area_from_ = area_to_ = line;
    want_area(area_between(view_.time.begin_ns, view_.time.end_ns, line, line));
  });
  menu.exec(event->globalPos());
}

void TimelineView::tell(const QPoint& position, const QPoint& global) {
  const auto box = box_under(position);
  if (!box) return QToolTip::hideText();
  QToolTip::showText(global + QPoint(12, 12), qt(timeline::describe(launch_->timeline.columns, *box)), this);
}

}  // namespace lockstep::gui
