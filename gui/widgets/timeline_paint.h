#pragma once

#include <QBrush>
#include <QPainter>
#include <optional>
#include <vector>

#include "gui/core/timeline/geometry.h"
#include "gui/core/timeline/totals.h"

namespace lockstep::gui {

/// How activities of a kind are drawn: a colour, and a pattern that says the same without it.
struct KindLook {
  QColor fill, text;
  Qt::BrushStyle pattern = Qt::SolidPattern;
};
KindLook look_of(activity::Kind kind);

/// For a legend: a box of a kind, and a row of folded ones.
void paint_swatch(QPainter& painter, const QRect& rect, activity::Kind kind, bool planned);
void paint_folded_swatch(QPainter& painter, const QRect& rect);

/// What stands out.
struct Marks {
  std::optional<uint32_t> selected;  ///< activity
  std::optional<timeline::Area> area;
  int focused = -1;  ///< line
  std::vector<timeline::Tick> steps;
};

/// The lines from their left edge on, the painter's origin at the first pixel of `view`.
void paint_lines(QPainter& painter, const timeline::Timeline& timeline, const timeline::Layout& layout,
                 const timeline::View& view, const std::vector<timeline::Box>& boxes, const Marks& marks);
/// The lines' names, in `width` pixels.
void paint_names(QPainter& painter, const timeline::Layout& layout, const timeline::View& view, int width, int focused);
void paint_ruler(QPainter& painter, const timeline::View& view, int height);
/// Where steps begin, with their numbers.
void paint_steps(QPainter& painter, const std::vector<timeline::Tick>& steps, const timeline::View& view, int height);
/// All of the launch in a strip.
void paint_strip(QPainter& painter, const timeline::Timeline& timeline, const std::vector<timeline::Box>& boxes);
/// On a strip, what of it is shown below.
void paint_shown_part(QPainter& painter, const timeline::View& strip, const timeline::Range& shown);

}  // namespace lockstep::gui
