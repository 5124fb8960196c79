#include "gui/widgets/cut_shapes.h"

#include <QPolygonF>
#include <algorithm>
#include <array>
#include <utility>

namespace lockstep::gui {
namespace {

/// A side of a rectangle: inside is where the depth is not below 0.
struct Side {
  bool vertical;  ///< a bound of x
  double sign, at;

  double depth(const QPointF& p) const { return sign * ((vertical ? p.x() : p.y()) - at); }
};

std::array<Side, 4> sides_of(const QRectF& rect) {
  return {Side{true, 1, rect.left()}, Side{true, -1, rect.right()}, Side{false, 1, rect.top()},
          Side{false, -1, rect.bottom()}};
}

QPolygonF cut(const QPolygonF& outline, const Side& side) {
  QPolygonF out;
  for (qsizetype i = 0; i < outline.size(); ++i) {
    const QPointF &from = outline[i], &to = outline[(i + 1) % outline.size()];
    const double before = side.depth(from), after = side.depth(to);
    if (before >= 0) out << from;
    if ((before >= 0) != (after >= 0)) out << from + (to - from) * (before / (before - after));
  }
  return out;
}

}  // namespace

QPainterPath area_inside(const QPainterPath& area, const QRectF& rect) {
  QPainterPath out;
  out.setFillRule(area.fillRule());
  for (QPolygonF outline : area.toSubpathPolygons()) {
    for (const Side& side : sides_of(rect)) outline = cut(outline, side);
    if (outline.size() < 3) continue;
    out.addPolygon(outline);
    out.closeSubpath();
  }
  return out;
}

QPainterPath lines_inside(const QPainterPath& path, const QRectF& rect) {
  QPainterPath out;
  for (const QPolygonF& line : path.toSubpathPolygons()) {
    for (qsizetype i = 0; i + 1 < line.size(); ++i) {
      const auto piece = line_inside({line[i], line[i + 1]}, rect);
      if (!piece) continue;
      if (out.isEmpty() || out.currentPosition() != piece->p1()) out.moveTo(piece->p1());
      out.lineTo(piece->p2());
    }
  }
  return out;
}

std::optional<QLineF> line_inside(const QLineF& line, const QRectF& rect) {
  double from = 0, to = 1;
  for (const Side& side : sides_of(rect)) {
    const double before = side.depth(line.p1()), after = side.depth(line.p2());
    if (before < 0 && after < 0) return std::nullopt;
    if (before < 0) from = std::max(from, before / (before - after));
    if (after < 0) to = std::min(to, before / (before - after));
  }
  if (from > to) return std::nullopt;
  return QLineF(line.pointAt(from), line.pointAt(to));
}

}  // namespace lockstep::gui
