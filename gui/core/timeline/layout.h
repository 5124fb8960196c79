#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gui/core/timeline/columns.h"

namespace lockstep::gui::timeline {

/// Which of planned and measured tracks are shown, and where.
enum class Arrangement : uint8_t {
  overlay,       ///< in each rank's group, what was planned above what was measured
  side_by_side,  ///< all that was planned, then all that was measured
  measured,
  planned
};

/// What a person chose about rows. None of it changes a number.
struct RowChoices {
  Arrangement arrangement = Arrangement::overlay;
  std::vector<bool> hidden;     ///< by track; may be shorter
  std::set<int32_t> collapsed;  ///< ranks that are one line
  std::set<int32_t> pinned;     ///< ranks that stand first and stay when the others scroll
  double lane_px = 15, head_px = 19;
  bool operator==(const RowChoices&) const = default;
};

/// A line of the page: a rank's head, or one of its tracks. Of a collapsed rank the head shows its measured tracks (its
/// planned ones where there are none) on top of each other, the first one, main, painted last.
struct Line {
  enum Type : uint8_t { head, track } type = track;
  int32_t rank = 0;
  bool measured = true;  ///< what the group is of, with side_by_side
  bool collapsed = false, pinned = false;
  std::vector<uint32_t> tracks;  ///< of a track line: one; of a head: all of its group
  double y_px = 0, height_px = 0;
  std::string label;
};

struct Layout {
  std::vector<Line> lines;  ///< from the top down
  double height_px = 0;
  double pinned_px = 0;  ///< height of the pinned lines, which are the first
  double lane_px = 15;
};

Layout lay_out(const Columns& columns, const RowChoices& choices);

/// "main", "communication (planned)"
std::string label_of(const Track& track);

/// Where a line is on a page that is scrolled by so many pixels.
double y_on_page(const Line& line, double scroll_px);
/// The line at a pixel of the page, -1: none. Pinned lines cover what scrolls below them.
int line_at(const Layout& layout, double y_px, double scroll_px);

}  // namespace lockstep::gui::timeline
