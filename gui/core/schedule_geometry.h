#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gui/core/schedule_picture.h"

namespace lockstep::gui {

/// A rectangle in pixels of the view.
struct PixelRect {
  double x = 0, y = 0, width = 0, height = 0;
  bool contains(double px, double py) const { return px >= x && px < x + width && py >= y && py < y + height; }
  bool operator==(const PixelRect&) const = default;
};

/// Where a schedule's picture lies in a view: rows from the top down, time to the right.
struct ScheduleGeometry {
  double left = 0, top = 0;          ///< of the first row, right of the names
  double width = 1, row_height = 1;  ///< pixels
  double from = 0, to = 1;           ///< the shown time

  double x_of(double time) const { return left + (time - from) / (to - from) * width; }
  double time_of(double x) const { return from + (x - left) / width * (to - from); }
  /// Of a row's boxes; there is space between rows. Outside the shown time rectangles go on beyond the view.
  PixelRect rect_of(int rank, double start, double length) const;
  PixelRect rect_of(const ScheduleBox& box) const { return rect_of(box.rank, box.start, box.length); }
  /// The row at a height; none above the first one.
  std::optional<int> rank_at(double y) const;
};

/// Fits the rows into a view of width x height, with `names` pixels for the rows' names, `head` above and `foot` below
/// them; [from, to) is shown, all of it where the two are equal.
ScheduleGeometry fit(const SchedulePicture& picture, double width, double height, double names, double head,
                     double foot, double from, double to);

/// The box at a place; none in a bubble and outside.
std::optional<size_t> box_at(const SchedulePicture& picture, const ScheduleGeometry& geometry, double x, double y);

/// Where arrow keys lead from a box: along its row, or to the box of a neighbouring row that runs at the same time or
/// last before it. `box` itself where there is none.
size_t neighbour(const SchedulePicture& picture, size_t box, int along, int down);

}  // namespace lockstep::gui
