#pragma once

#include "gui/core/timeline/columns.h"
#include "gui/core/timeline/range.h"

namespace lockstep::gui::timeline {

/// Activities [first, last) of the columns.
struct Slice {
  uint32_t first = 0, last = 0;
};

/// The activities of a row that overlap [begin, end): they end after its begin and begin before its end. What lasts no
/// time is in it where it begins in it. Both ends of a row's activities ascend, so these lie together. Cost: O(log n).
Slice in_range(const Columns& columns, uint32_t row, const Range& time);

}  // namespace lockstep::gui::timeline
