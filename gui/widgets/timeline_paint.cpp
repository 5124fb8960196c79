#include "gui/widgets/timeline_paint.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/core/text.h"
#include "gui/widgets/theme.h"

namespace lockstep::gui {
namespace {

using activity::Kind;
using activity::Origin;
using timeline::Box;
using timeline::Layout;
using timeline::Line;
using timeline::Timeline;
using timeline::View;

struct KindRow {
  int look;  ///< of the theme; -1: grey
  Qt::BrushStyle pattern;
};
// In the order of activity::Kind.
constexpr std::array<KindRow, 9> kKinds{{{0, Qt::SolidPattern},      // compute
                                         {2, Qt::SolidPattern},      // optimizer
                                         {1, Qt::BDiagPattern},      // communication
                                         {-1, Qt::Dense5Pattern},    // wait
                                         {4, Qt::HorPattern},        // data
                                         {3, Qt::DiagCrossPattern},  // recompute
                                         {-1, Qt::FDiagPattern},     // bubble
                                         {6, Qt::NoBrush},           // step: an outline
                                         {-1, Qt::SolidPattern}}};   // other

constexpr int kPatternPx = 5;  // narrower boxes are of one colour
constexpr int kLeastNameWidth = 26, kLeastNameHeight = 11;

QColor mixed(const QColor& a, const QColor& b, double share_of_a) {
  const auto mix = [&](int x, int y) { return static_cast<int>(share_of_a * x + (1 - share_of_a) * y); };
  return {mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue())};
}

// Relative luminance, WCAG 2.1.
double luminance(const QColor& color) {
  const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

QColor text_on(const QColor& fill) {
  return luminance(fill) > 0.179 ? QColor(0x10, 0x12, 0x14) : QColor(Qt::white);  // contrast at least 4.5
}

/// How a box is filled and edged. What was measured has no edge but a gap to what follows; a plan has a dashed one.
struct BoxLook {
  QColor fill, text;
  QBrush pattern;  ///< over the fill; NoBrush: none
  QPen edge;       ///< NoPen: none
  bool hollow = false;
};

BoxLook box_look(Kind kind, bool planned) {
  const KindLook look = look_of(kind);
  BoxLook out;
  out.hollow = look.pattern == Qt::NoBrush;
  out.fill = out.hollow ? background_color() : planned ? mixed(look.fill, background_color(), 0.55) : look.fill;
  out.text = text_on(out.fill);
  QColor stroke = background_color();
  stroke.setAlpha(120);
  out.pattern = look.pattern == Qt::SolidPattern ? QBrush(Qt::NoBrush) : QBrush(stroke, look.pattern);
  out.edge = Qt::NoPen;
  if (planned || out.hollow) out.edge = QPen(look.fill.darker(110), 1, planned ? Qt::DashLine : Qt::SolidLine);
  return out;
}

/// The looks of a frame's boxes, so that a box costs a table look-up.
struct BoxLooks {
  BoxLooks() {
    for (size_t kind = 0; kind < kKinds.size(); ++kind) {
      for (const bool planned : {false, true}) boxes[kind][planned] = box_look(static_cast<Kind>(kind), planned);
      const QColor color = look_of(static_cast<Kind>(kind)).fill;
      for (size_t shade = 0; shade < kShades; ++shade) {
        const double busy = 0.35 + 0.65 * static_cast<double>(shade) / (kShades - 1);
        shades[kind][shade] = mixed(color, background_color(), busy);
      }
    }
  }
  static constexpr size_t kShades = 16;
  std::array<std::array<BoxLook, 2>, kKinds.size()> boxes;
  std::array<std::array<QColor, kShades>, kKinds.size()> shades;

  const BoxLook& box(Kind kind, bool planned) const { return boxes[static_cast<size_t>(kind)][planned]; }
  const QColor& shade(Kind kind, float busy) const {
    return shades[static_cast<size_t>(kind)][static_cast<size_t>(std::clamp(busy, 0.0f, 1.0f) * (kShades - 1))];
  }
};

void paint_box(QPainter& painter, const BoxLook& look, const QRect& rect) {
  const bool edged = look.edge.style() != Qt::NoPen;
  if (rect.width() < kPatternPx) {
    painter.fillRect(rect, look.hollow ? look.edge.color() : look.fill);
    return;
  }
  const QRect inside = edged ? rect : rect.adjusted(0, 0, -1, 0);
  painter.fillRect(inside, look.fill);
  if (look.pattern.style() != Qt::NoBrush) painter.fillRect(inside, look.pattern);
  if (!edged) return;
  painter.setPen(look.edge);
  painter.drawRect(rect.adjusted(0, 0, -1, -1));
}

void paint_name(QPainter& painter, const QRect& rect, const QString& name, const QColor& color, const QColor& fill) {
  const QFontMetrics metrics = painter.fontMetrics();
  const QString text = metrics.elidedText(name, Qt::ElideRight, rect.width() - 6);
  if (text.size() < 3 && text != name) return;  // an ellipsis tells nothing
  const QRect at = rect.adjusted(3, 0, -3, 0);
  // Under the text the pattern is quiet, so that it can be read.
  painter.fillRect(QRect(at.left() - 1, at.top() + 1, metrics.horizontalAdvance(text) + 2, at.height() - 2), fill);
  painter.setPen(color);
  painter.drawText(at, Qt::AlignVCenter | Qt::AlignLeft, text);
}

QColor wash_color(int alpha) {
  QColor out = accent_color();
  out.setAlpha(alpha);
  return out;
}

QColor head_color() { return mixed(text_color(), background_color(), 0.07); }

QRect rect_of(const Layout& layout, const Line& line, const View& view, int width) {
  const timeline::Stretch at = timeline::seen(layout, line, timeline::y_on_page(line, view.scroll_px), line.height_px);
  return {0, static_cast<int>(at.y_px), width, static_cast<int>(at.height_px)};
}

QRect rect_of(const Box& box) {
  const auto [left, right] = timeline::painted(box);
  return {left, static_cast<int>(box.y_px), right - left, std::max(1, static_cast<int>(box.height_px))};
}

/// Folded boxes that touch and have one shade are one rectangle: of all columns of a busy row few are left.
class Folds {
 public:
  explicit Folds(QPainter& painter) : painter_(painter) {}
  void add(const QRect& rect, const QColor& shade) {
    const bool goes_on = &shade == shade_ && rect.left() == rect_.right() + 1 && rect.top() == rect_.top() &&
                         rect.height() == rect_.height();
    if (goes_on) return rect_.setRight(rect.right());
    flush();
    rect_ = rect, shade_ = &shade;
  }
  void flush() {
    if (shade_ != nullptr) painter_.fillRect(rect_, *shade_);
    shade_ = nullptr;
  }

 private:
  QPainter& painter_;
  QRect rect_;
  const QColor* shade_ = nullptr;  ///< of the frame's looks; none: nothing is gathered
};

void paint_boxes(QPainter& painter, const Timeline& timeline, const std::vector<Box>& boxes, bool names) {
  const BoxLooks looks;
  Folds folds(painter);
  const timeline::Columns& columns = timeline.columns;
  uint32_t row = static_cast<uint32_t>(-1);
  bool planned = false;
  for (const Box& box : boxes) {
    if (box.row != row) row = box.row, planned = columns.track_of_row(row).origin == Origin::planned;
    const Kind kind = columns.kind[box.activity];
    const QRect rect = rect_of(box);
    if (box.folded) {
      folds.add(rect, looks.shade(kind, planned ? box.busy / 2 : box.busy));
      continue;
    }
    folds.flush();
    const BoxLook& look = looks.box(kind, planned);
    paint_box(painter, look, rect);
    if (!names || rect.height() < kLeastNameHeight || rect.width() < kLeastNameWidth) continue;
    paint_name(painter, rect, qt(columns.names[columns.name[box.activity]]), look.text, look.fill);
  }
  folds.flush();
}

bool holds(const timeline::Area& area, const Line& line) {
  if (line.type == Line::head && !line.collapsed) return false;
  return std::any_of(line.tracks.begin(), line.tracks.end(), [&](uint32_t t) {
    return std::find(area.tracks.begin(), area.tracks.end(), t) != area.tracks.end();
  });
}

void paint_area(QPainter& painter, const Layout& layout, const View& view, const timeline::Area& area) {
  const int left = static_cast<int>(std::max(-2.0, view.x_of(area.time.begin_ns)));
  const int right = static_cast<int>(std::min(view.width_px + 2, view.x_of(area.time.end_ns)));
  for (const Line& line : layout.lines) {
    if (!holds(area, line)) continue;
    QRect rect = rect_of(layout, line, view, std::max(1, right - left));
    if (rect.height() < 1) continue;
    rect.translate(left, 0);
    painter.fillRect(rect, wash_color(50));
    painter.setPen(QPen(accent_color(), 1, Qt::DashLine));
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
  }
}

void paint_selected(QPainter& painter, const std::vector<Box>& boxes, uint32_t selected) {
  for (const Box& box : boxes) {
    if (selected < box.first || selected >= box.first + box.count) continue;
    painter.setPen(QPen(text_color(), 2));
    painter.drawRect(rect_of(box).adjusted(-1, -1, 0, 0));
  }
}

}  // namespace

KindLook look_of(Kind kind) {
  const KindRow& row = kKinds[static_cast<size_t>(kind)];
  KindLook out{row.look >= 0 ? look_color(static_cast<size_t>(row.look))
                             : mixed(text_color(), background_color(), kind == Kind::wait ? 0.30 : 0.45),
               {},
               row.pattern};
  out.text = text_on(out.fill);
  return out;
}

void paint_swatch(QPainter& painter, const QRect& rect, Kind kind, bool planned) {
  paint_box(painter, box_look(kind, planned), rect);
}

void paint_folded_swatch(QPainter& painter, const QRect& rect) {
  const BoxLooks looks;
  for (int x = 0; x < rect.width(); ++x) {
    const auto busy = static_cast<float>((x * 7) % 11) / 10;
    painter.fillRect(QRect(rect.left() + x, rect.top(), 1, rect.height()), looks.shade(Kind::compute, busy));
  }
}

void paint_lines(QPainter& painter, const Timeline& timeline, const Layout& layout, const View& view,
                 const std::vector<Box>& boxes, const Marks& marks) {
  for (size_t i = 0; i < layout.lines.size(); ++i) {
    const QRect rect = rect_of(layout, layout.lines[i], view, static_cast<int>(view.width_px));
    if (rect.height() < 1) continue;
    if (layout.lines[i].type == Line::head) painter.fillRect(rect, head_color());
    if (static_cast<int>(i) == marks.focused) painter.fillRect(rect, wash_color(28));
    painter.setPen(grid_color());
    painter.drawLine(rect.bottomLeft(), rect.bottomRight());
  }
  for (const timeline::Tick& step : marks.steps) {
    const int x = static_cast<int>(std::lround(step.x_px));
    painter.setPen(grid_color());
    painter.drawLine(x, 0, x, static_cast<int>(view.height_px));
  }
  paint_boxes(painter, timeline, boxes, true);
  if (marks.area) paint_area(painter, layout, view, *marks.area);
  if (marks.selected) paint_selected(painter, boxes, *marks.selected);
  if (layout.pinned_px > 0) {
    painter.setPen(QPen(text_color(), 1));
    const int y = static_cast<int>(layout.pinned_px) - 1;
    painter.drawLine(0, y, static_cast<int>(view.width_px), y);
  }
}

void paint_names(QPainter& painter, const Layout& layout, const View& view, int width, int focused) {
  for (size_t i = 0; i < layout.lines.size(); ++i) {
    const Line& line = layout.lines[i];
    const QRect rect = rect_of(layout, line, view, width);
    if (rect.height() < 1) continue;
    if (line.type == Line::head) painter.fillRect(rect, head_color());
    if (static_cast<int>(i) == focused) painter.fillRect(rect, wash_color(60));
    painter.setPen(grid_color());
    painter.drawLine(rect.bottomLeft(), rect.bottomRight());
    if (rect.height() + 4 < painter.fontMetrics().height()) continue;  // half hidden
    QString text = qt(line.label);
    if (line.type == Line::head) text = QString::fromUtf8(line.collapsed ? "\u25b8 " : "\u25be ") + text;
    if (line.type == Line::head && line.pinned) text += ", pinned";
    QFont font = painter.font();
    font.setBold(line.type == Line::head);
    painter.setFont(font);
    const QRect at = rect.adjusted(line.type == Line::head ? 4 : 18, 0, -4, 0);
    painter.setPen(text_color());
    painter.drawText(at.left(), at.top(), at.width(), std::min(at.height(), painter.fontMetrics().height() + 2),
                     Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, at.width()));
  }
}

void paint_ruler(QPainter& painter, const View& view, int height) {
  const timeline::Ruler ruler = timeline::ruler(view);
  const QFontMetrics metrics = painter.fontMetrics();
  int free_from = 0;
  if (!ruler.from.empty()) {
    const QString from = qt(ruler.from);
    painter.setPen(quiet_text_color());
    painter.drawText(QRect(4, 0, metrics.horizontalAdvance(from) + 4, height - 5), Qt::AlignVCenter, from);
    free_from = metrics.horizontalAdvance(from) + 16;
  }
  for (const timeline::Tick& tick : ruler.ticks) {
    const int x = static_cast<int>(std::lround(tick.x_px));
    painter.setPen(quiet_text_color());
    painter.drawLine(x, height - 5, x, height - 1);
    const QString text = qt(tick.text);
    const int width = metrics.horizontalAdvance(text);
    if (x + 3 < free_from || x + 3 + width > view.width_px) continue;  // a cut number is another number
    painter.setPen(text_color());
    painter.drawText(QRect(x + 3, 0, width + 2, height - 5), Qt::AlignVCenter, text);
  }
}

void paint_steps(QPainter& painter, const std::vector<timeline::Tick>& steps, const View& view, int height) {
  for (const timeline::Tick& step : steps) {
    const int x = static_cast<int>(std::lround(step.x_px));
    const QString text = qt(step.text);
    painter.setPen(quiet_text_color());
    painter.drawLine(x, 0, x, height);
    if (x + 3 + painter.fontMetrics().horizontalAdvance(text) > view.width_px) continue;
    painter.drawText(QRect(x + 3, 0, 200, height), Qt::AlignVCenter | Qt::AlignLeft, text);
  }
}

void paint_strip(QPainter& painter, const Timeline& timeline, const std::vector<Box>& boxes) {
  paint_boxes(painter, timeline, boxes, false);
}

void paint_shown_part(QPainter& painter, const View& strip, const timeline::Range& shown) {
  const int left = static_cast<int>(std::floor(strip.x_of(shown.begin_ns)));
  const int right = std::max(left + 3, static_cast<int>(std::ceil(strip.x_of(shown.end_ns))));
  const int height = static_cast<int>(strip.height_px), width = static_cast<int>(strip.width_px);
  QColor veil = background_color();
  veil.setAlpha(110);
  painter.fillRect(0, 0, left, height, veil);
  painter.fillRect(right, 0, width - right, height, veil);
  painter.setPen(QPen(accent_color(), 2));
  painter.drawRect(std::max(1, left), 1, std::min(right, width - 1) - std::max(1, left), height - 2);
}

}  // namespace lockstep::gui
