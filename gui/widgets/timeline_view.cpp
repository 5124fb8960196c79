#include "gui/widgets/timeline_view.h"

#include <QEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "gui/core/text.h"
#include "gui/core/timeline/describe.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/timeline_flows.h"
#include "gui/widgets/timeline_paint.h"

namespace lockstep::gui {

using timeline::Line;

namespace {
constexpr int kStripPx = 36, kRulerPx = 24, kStepsPx = 18, kGapPx = 4;
constexpr int kLeastNamesPx = 90, kMostNamesPx = 260;
}  // namespace

TimelineView::TimelineView(QWidget* parent) : QWidget(parent), bar_(new QScrollBar(Qt::Vertical, this)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName("Timeline");
  setAccessibleDescription("Nothing is selected");
  bar_->setAccessibleName("Scroll ranks");
  connect(bar_, &QScrollBar::valueChanged, this, [this](int value) {
    view_.scroll_px = value;
    redraw();
  });
}

QSize TimelineView::sizeHint() const {
  const int lines = static_cast<int>(layout_.height_px);
  return {900, std::clamp(head_px() + lines, 240, 700)};
}

void TimelineView::set_launch(std::shared_ptr<const timeline::Launch> launch) {
  if (launch == launch_) return;
  launch_ = std::move(launch);
  selected_.reset(), area_.reset();
  area_from_ = area_to_ = focused_ = -1;
  strip_ = {};
  lay_out_lines();
  set_range(whole());
  setAccessibleDescription("Nothing is selected");
}

timeline::Range TimelineView::whole() const {
  return launch_ ? timeline::everything(launch_->timeline.columns).time : timeline::Range{0, 1};
}

void TimelineView::set_choices(const timeline::RowChoices& choices) {
  timeline::RowChoices wanted = choices;
  wanted.lane_px = choices_.lane_px, wanted.head_px = choices_.head_px;
  if (wanted == choices_) return;
  choices_ = wanted;
  lay_out_lines();
}

void TimelineView::set_range(const timeline::Range& range) {
  const timeline::Range wanted = timeline::zoomed(range, 1, range.begin_ns, whole());
  if (wanted == view_.time) return;
  view_.time = wanted;
  redraw();
}

void TimelineView::set_area(const std::optional<timeline::Area>& area) {
  if (area_ == area) return;
  area_ = area;
  if (!area) area_from_ = area_to_ = -1;
  update();
}

void TimelineView::select(std::optional<uint32_t> activity) {
  if (selected_ == activity) return;
  selected_ = activity;
  setAccessibleDescription(activity ? qt(timeline::describe(launch_->timeline.columns, *activity))
                                    : QString("Nothing is selected"));
  place_flows();
  update();
  Q_EMIT selection_changed();
}

void TimelineView::set_has_strip(bool has) {
  has_strip_ = has;
  place();
}

void TimelineView::set_least_names_width(int px) {
  least_names_width_ = px;
  lay_out_lines();
}

QPoint TimelineView::pixel_of(double ns, int line) const {
  const QRect lines = lines_rect();
  const Line& at = layout_.lines[static_cast<size_t>(line)];
  const double y = timeline::y_on_page(at, view_.scroll_px) + std::min(at.height_px, layout_.lane_px) / 2;
  return {lines.left() + static_cast<int>(view_.x_of(ns)), lines.top() + static_cast<int>(y)};
}

int TimelineView::ruler_top() const { return has_strip_ ? kStripPx + kGapPx : 0; }
int TimelineView::head_px() const { return ruler_top() + kRulerPx + kStepsPx; }
QRect TimelineView::strip_rect() const { return {names_width_, 0, lines_rect().width(), has_strip_ ? kStripPx : 0}; }
QRect TimelineView::ruler_rect() const { return {names_width_, ruler_top(), lines_rect().width(), kRulerPx}; }
QRect TimelineView::names_rect() const { return {0, head_px(), names_width_, height() - head_px()}; }
QRect TimelineView::lines_rect() const {
  return {names_width_, head_px(), std::max(1, width() - names_width_ - bar_->sizeHint().width()),
          height() - head_px()};
}

// Lanes as high as their names need, so that larger fonts stay readable.
void TimelineView::lay_out_lines() {
  const int text = fontMetrics().height();
  choices_.lane_px = std::max(15, text + 2), choices_.head_px = text + 5;
  layout_ = launch_ ? timeline::lay_out(launch_->timeline.columns, choices_) : timeline::Layout{};
  QFont bold = font();
  bold.setBold(true);
  const QFontMetrics metrics(bold);
  int widest = kLeastNamesPx;
  for (const Line& line : layout_.lines) widest = std::max(widest, metrics.horizontalAdvance(qt(line.label)) + 34);
  names_width_ = std::max(least_names_width_, std::min(widest, kMostNamesPx));
  focused_ = std::min(focused_, static_cast<int>(layout_.lines.size()) - 1);
  place();
}

void TimelineView::place() {
  const QRect lines = lines_rect();
  view_.width_px = lines.width(), view_.height_px = lines.height();
  bar_->setGeometry(width() - bar_->sizeHint().width(), lines.top(), bar_->sizeHint().width(), lines.height());
  const int hidden = std::max(0, static_cast<int>(layout_.height_px) - lines.height());
  bar_->setRange(0, hidden);
  bar_->setPageStep(lines.height());
  bar_->setSingleStep(static_cast<int>(layout_.lane_px));
  bar_->setVisible(hidden > 0);
  view_.scroll_px = bar_->value();
  redraw();
}

void TimelineView::redraw() {
  boxes_.clear();
  if (launch_) boxes_ = timeline::boxes(launch_->timeline, layout_, view_);
  place_flows();
  update();
}

void TimelineView::place_flows() {
  flows_.clear();
  if (launch_) flows_ = timeline::flow_lines(launch_->timeline, layout_, view_, selected_);
}

void TimelineView::resizeEvent(QResizeEvent*) { place(); }

void TimelineView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange ||
      event->type() == QEvent::PaletteChange) {
    strip_ = {};
    lay_out_lines();
  }
}

void TimelineView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), background_color());
  if (!launch_) return;
  const timeline::Timeline& data = launch_->timeline;
  const auto in = [&](const QRect& rect, const auto& paint) {
    painter.save();
    painter.setClipRect(rect);
    painter.translate(rect.topLeft());
    paint();
    painter.restore();
  };
  painter.setPen(quiet_text_color());
  if (has_strip_) {
    painter.drawText(QRect(4, 0, names_width_ - 8, kStripPx), Qt::AlignVCenter | Qt::AlignLeft, "whole recording");
    in(strip_rect(), [&] {
      if (strip_.deviceIndependentSize().toSize() != strip_rect().size()) paint_whole();
      painter.drawPixmap(0, 0, strip_);
      const timeline::View strip{whole(), double(strip_rect().width()), double(kStripPx), 0};
      paint_shown_part(painter, strip, view_.time);
    });
  }
  painter.drawText(QRect(4, ruler_top(), names_width_ - 8, kRulerPx - 5), Qt::AlignVCenter | Qt::AlignLeft,
                   "time shown: " + qt(timeline::length_text(view_.time.length())));
  in(ruler_rect(), [&] { paint_ruler(painter, view_, kRulerPx); });
  const std::vector<timeline::Tick> steps = timeline::step_marks(launch_->steps.begin_ns, view_);
  const QRect steps_rect(names_width_, head_px() - kStepsPx, lines_rect().width(), kStepsPx);
  in(steps_rect, [&] { paint_steps(painter, steps, view_, kStepsPx); });
  in(names_rect(), [&] { paint_names(painter, layout_, view_, names_width_, hasFocus() ? focused_ : -1); });
  in(lines_rect(), [&] {
    paint_lines(painter, data, layout_, view_, boxes_, {selected_, area_, hasFocus() ? focused_ : -1, steps});
    paint_flows(painter, flows_);
  });
  painter.setPen(hasFocus() ? accent_color() : grid_color());
  painter.drawRect(lines_rect().adjusted(0, 0, -1, -1));
  if (!layout_.lines.empty()) return;
  painter.setPen(text_color());
  painter.drawText(lines_rect(), Qt::AlignCenter, "The row filter leaves no row.");
}

void TimelineView::paint_whole() {
  const QSize size = strip_rect().size();
  strip_ = QPixmap(size * devicePixelRatioF());
  strip_.setDevicePixelRatio(devicePixelRatioF());
  strip_.fill(background_color());
  QPainter painter(&strip_);
  const timeline::Timeline& data = launch_->timeline;
  paint_strip(painter, data, timeline::strip_boxes(data, size.width(), size.height()));
}

void TimelineView::want_range(const timeline::Range& range) {
  set_range(range);
  Q_EMIT range_wanted(view_.time);
}

void TimelineView::want_area(std::optional<timeline::Area> area) {
  set_area(area);
  Q_EMIT area_wanted(area_);
}

timeline::Area TimelineView::area_between(double begin_ns, double end_ns, int first_line, int last_line) const {
  timeline::Area out;
  const timeline::Range all = whole();
  out.time = {std::clamp(std::min(begin_ns, end_ns), all.begin_ns, all.end_ns),
              std::clamp(std::max(begin_ns, end_ns), all.begin_ns, all.end_ns)};
  const auto [first, last] = std::minmax(first_line, last_line);
  for (int i = std::max(0, first); i <= last && i < static_cast<int>(layout_.lines.size()); ++i) {
    const Line& line = layout_.lines[static_cast<size_t>(i)];
    if (line.type == Line::head && !line.collapsed && first != last) continue;
    out.tracks.insert(out.tracks.end(), line.tracks.begin(), line.tracks.end());
  }
  std::sort(out.tracks.begin(), out.tracks.end());
  out.tracks.erase(std::unique(out.tracks.begin(), out.tracks.end()), out.tracks.end());
  return out;
}

void TimelineView::scroll_to_line(int line) {
  const Line& at = layout_.lines[static_cast<size_t>(line)];
  if (at.pinned) return;
  const double top = at.y_px - layout_.pinned_px, bottom = at.y_px + at.height_px - view_.height_px;
  if (view_.scroll_px > top) bar_->setValue(static_cast<int>(top));
  if (view_.scroll_px < bottom) bar_->setValue(static_cast<int>(std::ceil(bottom)));
}

void TimelineView::focus_line(int line) {
  if (layout_.lines.empty()) return;
  focused_ = std::clamp(line, 0, static_cast<int>(layout_.lines.size()) - 1);
  scroll_to_line(focused_);
  update();
}

std::optional<timeline::Box> TimelineView::box_under(const QPoint& position) const {
  const QRect lines = lines_rect();
  if (!lines.contains(position)) return std::nullopt;
  return timeline::box_at(boxes_, position.x() - lines.left(), position.y() - lines.top());
}

int TimelineView::line_of(uint32_t activity) const {
  const timeline::Columns& columns = launch_->timeline.columns;
  const uint32_t row = columns.row_of(activity);
  for (size_t i = 0; i < layout_.lines.size(); ++i) {
    const Line& line = layout_.lines[i];
    const bool shows = std::any_of(line.tracks.begin(), line.tracks.end(), [&](uint32_t t) {
      const timeline::Track& track = columns.tracks[t];
      return row >= track.first_row && row < track.first_row + track.rows;
    });
    if (shows && (line.type == Line::track || line.collapsed)) return static_cast<int>(i);
  }
  return -1;
}

int TimelineView::line_under(const QPoint& position) const {
  const int y = position.y() - lines_rect().top();
  return y < 0 ? -1 : timeline::line_at(layout_, y, view_.scroll_px);
}

}  // namespace lockstep::gui
