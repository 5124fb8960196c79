#include "gui/widgets/schedule_view.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/core/text.h"
#include "gui/widgets/export.h"
#include "gui/widgets/theme.h"

namespace lockstep::gui {
namespace {

using schedule::ActionKind;

constexpr double kUsualRow = 26, kSmallestRow = 6;  // pixels
constexpr double kHighestRows = 720;                // of all rows, where there are many
constexpr double kZoomStep = 1.25;
constexpr int kMargin = 8;

struct ActionLook {
  ActionKind kind;
  size_t look;
  Qt::BrushStyle hatch;  ///< where no letter fits: colour is not the only sign
};
constexpr std::array<ActionLook, 4> kActionLooks = {{{ActionKind::F, 0, Qt::NoBrush},
                                                     {ActionKind::B, 1, Qt::FDiagPattern},
                                                     {ActionKind::I, 1, Qt::VerPattern},
                                                     {ActionKind::W, 2, Qt::CrossPattern}}};

const ActionLook& action_look(ActionKind kind) {
  return *std::find_if(kActionLooks.begin(), kActionLooks.end(),
                       [&](const ActionLook& row) { return row.kind == kind; });
}

/// Light enough for text on it in both themes.
QColor fill_of(ActionKind kind) {
  const QColor color = look_color(action_look(kind).look), ground = background_color();
  const auto mixed = [](int a, int b) { return (a * 2 + b * 3) / 5; };
  return {mixed(color.red(), ground.red()), mixed(color.green(), ground.green()), mixed(color.blue(), ground.blue())};
}

QRectF qt_rect(const PixelRect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

/// 1, 2 or 5 times a power of ten, so that ticks are at least `pixels` apart.
double tick_step(const ScheduleGeometry& at, double pixels) {
  const double least = std::max(1.0, (at.to - at.from) * pixels / at.width);
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

}  // namespace

ScheduleView::ScheduleView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ScheduleView::set_picture(SchedulePicture picture) {
  const bool other = picture.boxes != picture_.boxes;
  picture_ = std::move(picture);
  if (other) choose({});
  setAccessibleName(qt("Pipeline schedule " + picture_.title));
  QStringList words;
  for (const std::string& line : picture_.words) words << qt(line);
  setAccessibleDescription(words.join(" "));
  updateGeometry();
  update();
}

void ScheduleView::set_span(double from, double to) {
  from_ = from, to_ = to;
  update();
}

ScheduleGeometry ScheduleView::geometry_now() const {
  return fit(picture_, width() - kMargin, height(), names(), head(), foot(), from_, to_);
}

QSize ScheduleView::sizeHint() const {
  const double rows = static_cast<double>(std::max<size_t>(1, picture_.rows.size()));
  const double row = std::clamp(kHighestRows / rows, kSmallestRow, kUsualRow);
  return {760, static_cast<int>(rows * row) + head() + foot()};
}

int ScheduleView::head() const { return fontMetrics().height() + 2 * kMargin; }
int ScheduleView::foot() const { return 2 * fontMetrics().height() + kMargin; }

int ScheduleView::names() const {
  int widest = 0;
  for (const std::string& name : picture_.rows) widest = std::max(widest, fontMetrics().horizontalAdvance(qt(name)));
  return widest + 2 * kMargin;
}

void ScheduleView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), background_color());
  if (picture_.rows.empty()) return;
  const ScheduleGeometry at = geometry_now();
  paint_legend(painter);
  paint_rows(painter, at);
  paint_axis(painter, at);
  if (!hasFocus()) return;
  painter.setPen(QPen(accent_color(), 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

void ScheduleView::paint_legend(QPainter& painter) const {
  const QFontMetrics metrics = fontMetrics();
  const double size = metrics.height();
  double x = names();
  const auto entry = [&](const QString& sign, const QBrush& brush, const QColor& edge, const QString& words) {
    const QRectF box(x, kMargin, std::max<double>(size * 1.4, metrics.horizontalAdvance(sign) + 8.0), size);
    painter.fillRect(box, brush);
    painter.setPen(edge), painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
    painter.setPen(text_color());
    painter.drawText(box, Qt::AlignCenter, sign);
    const QRectF text(box.right() + 6, kMargin, metrics.horizontalAdvance(words) + 4.0, size);
    painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft, words);
    x = text.right() + 18;
  };
  for (const ActionLook& kind : kActionLooks) {
    const bool there = std::any_of(picture_.boxes.begin(), picture_.boxes.end(),
                                   [&](const ScheduleBox& box) { return box.kind == kind.kind; });
    if (there)
      entry(QString(text::name(kind.kind).data()), fill_of(kind.kind), look_color(kind.look), words_of(kind.kind));
  }
  entry("", QBrush(grid_color(), Qt::BDiagPattern), grid_color(), "idle (bubble)");
}

void ScheduleView::paint_rows(QPainter& painter, const ScheduleGeometry& at) const {
  const QFontMetrics metrics = fontMetrics();
  // Of many ranks only so many names as fit are written.
  const int every = std::max(1, static_cast<int>(std::ceil(metrics.height() / at.row_height)));
  painter.setPen(text_color());
  for (int rank = 0; rank < static_cast<int>(picture_.rows.size()); rank += every) {
    const PixelRect row = at.rect_of(rank, 0, 0);
    const double middle = row.y + row.height / 2, height = metrics.height();
    painter.drawText(QRectF(0, middle - height / 2, at.left - kMargin, height), Qt::AlignRight | Qt::AlignVCenter,
                     qt(picture_.rows[static_cast<size_t>(rank)]));
  }
  painter.save();
  painter.setClipRect(QRectF(at.left, 0, at.width, height()));
  for (const ScheduleBubble& bubble : picture_.bubbles) {
    const QRectF rect = qt_rect(at.rect_of(bubble.rank, bubble.start, bubble.length));
    if (rect.right() >= at.left && rect.left() <= at.left + at.width)
      painter.fillRect(rect, QBrush(grid_color(), Qt::BDiagPattern));
  }
  int rank = -1;
  double painted_to = 0;
  for (size_t i = 0; i < picture_.boxes.size(); ++i) {
    if (picture_.boxes[i].rank != rank) rank = picture_.boxes[i].rank, painted_to = 0;
    paint_box(painter, at, i, painted_to);
  }
  if (chosen_) {
    painter.setPen(QPen(accent_color(), 3)), painter.setBrush(Qt::NoBrush);
    painter.drawRect(qt_rect(at.rect_of(picture_.boxes[*chosen_])));
  }
  painter.restore();
}

// A box shows at least one pixel; of several in the same pixel the first one is painted.
void ScheduleView::paint_box(QPainter& painter, const ScheduleGeometry& at, size_t index, double& painted_to) const {
  const ScheduleBox& box = picture_.boxes[index];
  QRectF rect = qt_rect(at.rect_of(box));
  rect.setWidth(std::max(1.0, rect.width()));
  if (rect.right() < at.left || rect.left() > at.left + at.width || rect.right() <= painted_to) return;
  painted_to = std::floor(rect.right());
  const QColor edge = look_color(action_look(box.kind).look);
  const QString label = label_within(box, rect.size());
  painter.fillRect(rect, fill_of(box.kind));
  if (label.isEmpty() && rect.width() >= 4) painter.fillRect(rect, QBrush(edge, action_look(box.kind).hatch));
  if (rect.width() >= 3) {
    painter.setPen(QPen(edge, 1)), painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
  }
  painter.setPen(text_color());
  if (!label.isEmpty()) painter.drawText(rect, Qt::AlignCenter, label);
}

// All of it, else the letter of what is done, else nothing.
QString ScheduleView::label_within(const ScheduleBox& box, const QSizeF& size) const {
  const QFontMetrics metrics = fontMetrics();
  if (metrics.height() > size.height() + 3) return {};
  for (const QString& label : {qt(box.label), qt(box.label).left(1)}) {
    if (metrics.horizontalAdvance(label) + 2 <= size.width()) return label;
  }
  return {};
}

void ScheduleView::paint_axis(QPainter& painter, const ScheduleGeometry& at) const {
  const QFontMetrics metrics = fontMetrics();
  const double y = at.top + at.row_height * static_cast<double>(picture_.rows.size()) + 2;
  painter.setPen(quiet_text_color());
  painter.drawLine(QPointF(at.left, y), QPointF(at.left + at.width, y));
  const double widest = metrics.horizontalAdvance(QString::number(picture_.makespan)) + 14.0;
  const double step = tick_step(at, widest);
  for (double time = std::ceil(at.from / step) * step; time <= at.to + 1e-9; time += step) {
    const double x = at.x_of(time);
    painter.setPen(quiet_text_color());
    painter.drawLine(QPointF(x, y), QPointF(x, y + 4));
    painter.setPen(text_color());
    // The last number stays inside the view.
    const double left = std::min(x - widest / 2, width() - widest);
    painter.drawText(QRectF(left, y + 4, widest, metrics.height()), Qt::AlignCenter, QString::number(time));
  }
  painter.setPen(text_color());
  painter.drawText(QRectF(at.left, y + 3 + metrics.height(), at.width, metrics.height()), Qt::AlignCenter,
                   "time in units of a stage's forward pass");
}

void ScheduleView::choose(std::optional<size_t> box) {
  chosen_ = box;
  Q_EMIT told(box ? qt(tip_of(picture_, picture_.boxes[*box])).replace('\n', "; ") : QString());
  update();
}

void ScheduleView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) updateGeometry();
  QWidget::changeEvent(event);
}

void ScheduleView::mouseMoveEvent(QMouseEvent* event) {
  const ScheduleGeometry at = geometry_now();
  if ((event->buttons() & Qt::LeftButton) != 0) return pan(grabbed_ - at.time_of(event->position().x()));
  const std::optional<size_t> box = box_at(picture_, at, event->position().x(), event->position().y());
  if (!box) return QToolTip::hideText();
  QToolTip::showText(event->globalPosition().toPoint(), qt(tip_of(picture_, picture_.boxes[*box])), this);
}

void ScheduleView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const ScheduleGeometry at = geometry_now();
  grabbed_ = at.time_of(event->position().x());
  choose(box_at(picture_, at, event->position().x(), event->position().y()));
}

void ScheduleView::mouseDoubleClickEvent(QMouseEvent*) { Q_EMIT span_wanted(0, 0); }

void ScheduleView::leaveEvent(QEvent*) { QToolTip::hideText(); }

// A picture between the parts of a scrolled page must not swallow the wheel before it is clicked.
void ScheduleView::wheelEvent(QWheelEvent* event) {
  if (!hasFocus()) return event->ignore();
  const double turns = event->angleDelta().y() / 120.0;
  zoom(std::pow(kZoomStep, turns), geometry_now().time_of(event->position().x()));
  event->accept();
}

void ScheduleView::zoom(double factor, double around) {
  const ScheduleGeometry at = geometry_now();
  const double from = std::max(0.0, around - (around - at.from) / factor);
  const double to = std::min(picture_.makespan, around + (at.to - around) / factor);
  if (to - from < 1) return;  // no action is shorter than a unit
  const bool all = from <= 0 && to >= picture_.makespan;
  Q_EMIT span_wanted(all ? 0 : from, all ? 0 : to);
}

void ScheduleView::pan(double by) {
  const ScheduleGeometry at = geometry_now();
  const double length = at.to - at.from;
  const double from = std::clamp(at.from + by, 0.0, std::max(0.0, picture_.makespan - length));
  if (length < picture_.makespan && from != at.from) Q_EMIT span_wanted(from, from + length);
}

void ScheduleView::keyPressEvent(QKeyEvent* event) {
  if (picture_.boxes.empty()) return QWidget::keyPressEvent(event);
  const ScheduleGeometry at = geometry_now();
  const auto step = [&](int along, int down) {
    choose(chosen_ ? neighbour(picture_, *chosen_, along, down) : size_t{0});
    const ScheduleBox& box = picture_.boxes[*chosen_];
    if (box.start < at.from) pan(box.start - at.from);
    if (box.end() > at.to) pan(box.end() - at.to);
  };
  switch (event->key()) {
    case Qt::Key_Left:
      return step(-1, 0);
    case Qt::Key_Right:
      return step(1, 0);
    case Qt::Key_Up:
      return step(0, -1);
    case Qt::Key_Down:
      return step(0, 1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(kZoomStep, (at.from + at.to) / 2);
    case Qt::Key_Minus:
      return zoom(1 / kZoomStep, (at.from + at.to) / 2);
    case Qt::Key_Home:
      Q_EMIT span_wanted(0, 0);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

void ScheduleView::focusInEvent(QFocusEvent* event) {
  QWidget::focusInEvent(event);
  if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason) {
    if (!chosen_ && !picture_.boxes.empty()) choose(size_t{0});
  }
}

void ScheduleView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction("Show everything", this, [this] { Q_EMIT span_wanted(0, 0); });
  menu.addAction("Save picture...", this, [this] { save_picture(this, qt(picture_.title)); });
  menu.addAction("Save data...", this, [this] { save_tables(this, {picture_.table}, qt(picture_.title)); });
  menu.exec(event->globalPos());
}

}  // namespace lockstep::gui
