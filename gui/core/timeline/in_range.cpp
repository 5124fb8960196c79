#include "gui/core/timeline/in_range.h"

namespace lockstep::gui::timeline {
namespace {

/// The first of [low, high) that is not `before`; those that are come first.
template <class Before>
uint32_t first_not(uint32_t low, uint32_t high, Before before) {
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

Slice in_range(const Columns& columns, uint32_t row, const Range& time) {
  const auto begin = [&](uint32_t i) { return static_cast<double>(columns.begin_ns[i]); };
  const auto end = [&](uint32_t i) { return static_cast<double>(columns.end_ns[i]); };
  const uint32_t from = columns.row_begin[row], to = columns.row_begin[row + 1];
  const uint32_t first =
      first_not(from, to, [&](uint32_t i) { return end(i) <= time.begin_ns && begin(i) < time.begin_ns; });
  return {first, first_not(first, to, [&](uint32_t i) { return begin(i) < time.end_ns; })};
}

}  // namespace lockstep::gui::timeline
