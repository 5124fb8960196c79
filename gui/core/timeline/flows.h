#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gui/core/timeline/geometry.h"

namespace lockstep::gui::timeline {

/// No partner: the other end was not recorded.
inline constexpr uint32_t kNoPartner = ~uint32_t{0};

/// By transfer of the columns, the transfer at its other end. Only ends of one origin meet; none where records were
/// dropped. Cost: O(n log n).
std::vector<uint32_t> partners_of(const Columns& columns);

/// The activity at the other end of what an activity sends, else of what it gets; nothing where neither is known.
std::optional<uint32_t> other_end(const Timeline& timeline, uint32_t activity);

/// From where a send begins to where its receive ends (activity::time_of).
struct FlowLine {
  double x1_px = 0, y1_px = 0, x2_px = 0, y2_px = 0;
  bool of_selected = false;
};

/// At most so many lines are drawn for what is not selected: more would be a grey veil.
inline constexpr size_t kMostFlows = 400;

/// The flows of the selected activity; and all whose send or receive is in the view, where these are few enough. Lines
/// to rows that are hidden or collapsed are left out.
std::vector<FlowLine> flow_lines(const Timeline& timeline, const Layout& layout, const View& view,
                                 std::optional<uint32_t> selected);

}  // namespace lockstep::gui::timeline
