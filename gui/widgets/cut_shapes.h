#pragma once

#include <QLineF>
#include <QPainterPath>
#include <QRectF>
#include <optional>

namespace lockstep::gui {

/// What of an area is inside a rectangle: every outline cut on its own, so that holes stay holes (Sutherland and
/// Hodgman 1974).
QPainterPath area_inside(const QPainterPath& area, const QRectF& rect);

/// What of the lines of a path is inside a rectangle, in pieces.
QPainterPath lines_inside(const QPainterPath& path, const QRectF& rect);

/// What of a line is inside; nothing: it passes by (Liang and Barsky 1984).
std::optional<QLineF> line_inside(const QLineF& line, const QRectF& rect);

}  // namespace lockstep::gui
