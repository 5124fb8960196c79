#pragma once

#include <map>
#include <optional>
#include <vector>

#include "gui/core/timeline/layout.h"
#include "gui/core/timeline/range.h"
#include "gui/core/timeline/zoom_table.h"

namespace lockstep::gui::timeline {

/// A launch's activities with what makes any zoom quick.
struct Timeline {
  Columns columns;
  ZoomTable zoom;
  std::vector<uint32_t> partners = {};  ///< by transfer (flows.h); empty: there are none
};

/// What is looked at: a stretch of time over so many pixels, and lines from `scroll_px` on.
struct View {
  Range time;
  double width_px = 0, height_px = 0;
  double scroll_px = 0;

  double ns_per_px() const { return time.length() / width_px; }
  double x_of(double ns) const { return (ns - time.begin_ns) / ns_per_px(); }
  double ns_of(double x_px) const { return time.begin_ns + x_px * ns_per_px(); }
};

/// An activity of at least one pixel, or all shorter ones of a row that begin in one pixel, folded into it: then
/// `count` says how many and `activity` is the longest of them. They are [first, first + count) of the columns, and lie
/// at most one pixel from the box.
struct Box {
  double x_px = 0, width_px = 0;  ///< cut at the view's ends
  double y_px = 0, height_px = 0;
  uint32_t activity = 0, first = 0, count = 1;
  uint32_t row = 0;
  bool folded = false;
  float busy = 1;  ///< share of its time in which something goes on
};

/// The pixel columns [first, second) that a box covers, at least one.
std::pair<int, int> painted(const Box& box);

/// Boxes of the lines that the view shows, lines and rows from the top down, by x. At most two begin in a pixel of a
/// row.
std::vector<Box> boxes(const Timeline& timeline, const Layout& layout, const View& view);

/// What of [y, y + height) of a line is seen: pinned lines cover what scrolls below them.
struct Stretch {
  double y_px = 0, height_px = 0;
};
Stretch seen(const Layout& layout, const Line& line, double y_px, double height_px);

/// Boxes of one row; y and height are given.
void add_row(const Timeline& timeline, uint32_t row, const View& view, double y_px, double height_px,
             std::vector<Box>& out);

/// All of the launch in a strip: a line a rank, of what was measured, or of the plan where nothing was.
std::vector<Box> strip_boxes(const Timeline& timeline, double width_px, double height_px);

/// The box under a point of the page, the one that is painted last; nothing between boxes.
std::optional<Box> box_at(const std::vector<Box>& boxes, double x_px, double y_px);

/// A mark of the time axis.
struct Tick {
  double x_px = 0;
  std::string text;  ///< with its unit
};
struct Ruler {
  std::vector<Tick> ticks;
  std::string from;  ///< "from 12.345 s": ticks count from there; empty: from the first activity
};
/// Marks at 1, 2 or 5 times a power of ten, at least `apart_px` from each other.
Ruler ruler(const View& view, double apart_px = 90);

/// Marks where steps begin, by number, at least `apart_px` from each other: every one, every second, fifth, tenth, ...
std::vector<Tick> step_marks(const std::map<int32_t, int64_t>& begin_ns, const View& view, double apart_px = 60);

/// "1.23 ms": with three significant digits.
std::string length_text(double ns);
/// "1.234567 ms", "17 ns": exact to the nanosecond, in the unit that fits.
std::string time_text(double ns);

}  // namespace lockstep::gui::timeline
