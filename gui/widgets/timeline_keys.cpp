// A timeline by keyboard alone.
#include <QKeyEvent>
#include <QScrollBar>
#include <algorithm>

#include "gui/widgets/timeline_view.h"

namespace lockstep::gui {

using timeline::Direction;
using timeline::Line;

namespace {

constexpr double kPan = 0.1, kZoom = 0.8, kExtend = 0.05;  // of what is seen

constexpr KeyRow kKeys[] = {{"wheel, W and S, + and -", "zoom at the cursor, or in the middle"},
                            {"drag, A and D, Left and Right", "move in time"},
                            {"Up and Down, Page Up and Down", "choose a line"},
                            {"Enter or a click", "select the activity in the middle of the line, or under the cursor"},
                            {"N and P", "next and previous activity of the same name"},
                            {"M", "the other end of what the activity sends, or got"},
                            {". and ,", "next and previous activity of the row"},
                            {"Shift and drag, Shift and arrows", "choose an area, which the table adds up"},
                            {"F", "show the selected activity, or the area, as large as it can be"},
                            {"C, T", "collapse the rank, pin it to the top"},
                            {"Home", "show everything"},
                            {"Esc", "forget selection and area"}};

bool is_ours(const QKeyEvent& event, bool anything_to_clear) {
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  switch (event.key()) {
    case Qt::Key_Escape:
      return anything_to_clear;
    case Qt::Key_W:
    case Qt::Key_A:
    case Qt::Key_S:
    case Qt::Key_D:
    case Qt::Key_F:
    case Qt::Key_M:
    case Qt::Key_N:
    case Qt::Key_P:
    case Qt::Key_C:
    case Qt::Key_T:
    case Qt::Key_Home:
    case Qt::Key_Comma:
    case Qt::Key_Period:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::span<const KeyRow> TimelineView::keys() { return kKeys; }

// Keys of the window's menus (H, B, Esc) must not take what is ours.
bool TimelineView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    if (is_ours(*static_cast<QKeyEvent*>(event), selected_ || area_)) {
      event->accept();
      return true;
    }
  }
  return QWidget::event(event);
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
  const bool plain = !(event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
  const bool shift = event->modifiers() & Qt::ShiftModifier;
  const bool taken = launch_ && plain &&
                     ((shift && extend_area(*event)) || pan_or_zoom(*event) || act_on_selection(*event) ||
                      move_focus(*event) || (event->key() == Qt::Key_Escape && clear()));
  if (!taken) QWidget::keyPressEvent(event);
}

bool TimelineView::pan_or_zoom(const QKeyEvent& event) {
  const timeline::Range all = whole();
  const double step = kPan * view_.time.length(), middle = (view_.time.begin_ns + view_.time.end_ns) / 2;
  switch (event.key()) {
    case Qt::Key_A:
    case Qt::Key_Left:
      return want_range(timeline::moved(view_.time, -step, all)), true;
    case Qt::Key_D:
    case Qt::Key_Right:
      return want_range(timeline::moved(view_.time, step, all)), true;
    case Qt::Key_W:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return want_range(timeline::zoomed(view_.time, kZoom, middle, all)), true;
    case Qt::Key_S:
    case Qt::Key_Minus:
      return want_range(timeline::zoomed(view_.time, 1 / kZoom, middle, all)), true;
    case Qt::Key_Home:
      return want_range(all), true;
    default:
      return false;
  }
}

bool TimelineView::extend_area(const QKeyEvent& event) {
  const int key = event.key();
  if (key != Qt::Key_Left && key != Qt::Key_Right && key != Qt::Key_Up && key != Qt::Key_Down) return false;
  if (layout_.lines.empty()) return true;
  if (!area_ || area_from_ < 0) {
    if (focused_ < 0) focus_line(0);
    area_from_ = area_to_ = focused_;
    const timeline::Columns& columns = launch_->timeline.columns;
    const double middle = (view_.time.begin_ns + view_.time.end_ns) / 2;
    const double begin = selected_ ? static_cast<double>(columns.begin_ns[*selected_]) : middle;
    const double end = selected_ ? static_cast<double>(columns.end_ns[*selected_]) : middle;
    area_ = area_between(begin, end, area_from_, area_to_);
  }
  timeline::Range time = area_->time;
  const double step = kExtend * view_.time.length();
  if (key == Qt::Key_Right) time.end_ns += step;
  if (key == Qt::Key_Left) (time.length() > step ? time.end_ns : time.begin_ns) -= step;
  const int last = static_cast<int>(layout_.lines.size()) - 1;
  if (key == Qt::Key_Down) area_to_ = std::min(last, area_to_ + 1);
  if (key == Qt::Key_Up) area_to_ = std::max(0, area_to_ - 1);
  scroll_to_line(area_to_);
  want_area(area_between(time.begin_ns, time.end_ns, area_from_, area_to_));
  return true;
}

bool TimelineView::act_on_selection(const QKeyEvent& event) {
  switch (event.key()) {
    case Qt::Key_N:
      return step_selection(timeline::same_name, Direction::next), true;
    case Qt::Key_P:
      return step_selection(timeline::same_name, Direction::previous), true;
    case Qt::Key_M:
      if (const auto other = selected_ ? timeline::other_end(launch_->timeline, *selected_) : std::nullopt) {
        reveal(*other);
      }
      return true;
    case Qt::Key_Period:
      return step_selection(timeline::beside, Direction::next), true;
    case Qt::Key_Comma:
      return step_selection(timeline::beside, Direction::previous), true;
    case Qt::Key_F: {
      const timeline::Columns& columns = launch_->timeline.columns;
      if (selected_) {
        want_range(timeline::around(static_cast<double>(columns.begin_ns[*selected_]),
                                    static_cast<double>(columns.end_ns[*selected_]), whole()));
      } else if (area_) {
        want_range(timeline::around(area_->time.begin_ns, area_->time.end_ns, whole()));
      }
      return true;
    }
    default:
      return false;
  }
}

bool TimelineView::move_focus(const QKeyEvent& event) {
  const int page = std::max(1, static_cast<int>(view_.height_px / std::max(1.0, layout_.lane_px)) / 2);
  const bool any = focused_ >= 0;
  switch (event.key()) {
    case Qt::Key_Up:
      return focus_line(focused_ - 1), true;
    case Qt::Key_Down:
      return focus_line(focused_ + 1), true;
    case Qt::Key_PageUp:
      return focus_line(focused_ - page), true;
    case Qt::Key_PageDown:
      return focus_line(focused_ + page), true;
    case Qt::Key_C:
      if (any) Q_EMIT collapse_wanted(layout_.lines[static_cast<size_t>(focused_)].rank);
      return true;
    case Qt::Key_T:
      if (any) Q_EMIT pin_wanted(layout_.lines[static_cast<size_t>(focused_)].rank);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: {
      if (!any) return true;
      const Line& line = layout_.lines[static_cast<size_t>(focused_)];
      const double middle = (view_.time.begin_ns + view_.time.end_ns) / 2;
      const timeline::Track& track = launch_->timeline.columns.tracks[line.tracks.front()];
      select(timeline::nearest(launch_->timeline.columns, track.first_row, middle));
      return true;
    }
    default:
      return false;
  }
}

// Without a selection a step begins with the activity in the middle of the line.
void TimelineView::step_selection(std::optional<uint32_t> (*step)(const timeline::Columns&, uint32_t, Direction),
                                  Direction direction) {
  if (!selected_) {
    if (focused_ < 0) focus_line(0);
    QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
    move_focus(enter);
    return;
  }
  if (const auto found = step(launch_->timeline.columns, *selected_, direction)) reveal(*found);
}

void TimelineView::reveal(uint32_t activity) {
  select(activity);
  const timeline::Columns& columns = launch_->timeline.columns;
  const int line = line_of(activity);
  if (line >= 0) scroll_to_line(line);
  const auto begin = static_cast<double>(columns.begin_ns[activity]),
             end = static_cast<double>(columns.end_ns[activity]);
  if (begin >= view_.time.begin_ns && end <= view_.time.end_ns) return;
  const double length = std::max(view_.time.length(), 1.2 * (end - begin));
  const double middle = (begin + end) / 2;
  want_range({middle - length / 2, middle + length / 2});
}

bool TimelineView::clear() {
  if (!selected_ && !area_) return false;
  select(std::nullopt);
  if (area_) want_area(std::nullopt);
  return true;
}

}  // namespace lockstep::gui
