#include "gui/core/timeline/neighbours.h"

#include <algorithm>

namespace lockstep::gui::timeline {

std::optional<uint32_t> same_name(const Columns& columns, uint32_t activity, Direction direction) {
  const auto [from, to] = columns.range(columns.track_of_row(columns.row_of(activity)));
  const auto place = [&](uint32_t i) { return std::pair(columns.begin_ns[i], i); };
  const auto before = [&](uint32_t a, uint32_t b) {
    return direction == Direction::next ? place(a) < place(b) : place(b) < place(a);
  };
  std::optional<uint32_t> best;
  for (uint32_t i = from; i < to; ++i) {
    if (columns.name[i] != columns.name[activity] || !before(activity, i)) continue;
    if (!best || before(i, *best)) best = i;
  }
  return best;
}

std::optional<uint32_t> beside(const Columns& columns, uint32_t activity, Direction direction) {
  const uint32_t row = columns.row_of(activity);
  if (direction == Direction::previous) {
    return activity > columns.row_begin[row] ? std::optional(activity - 1) : std::nullopt;
  }
  return activity + 1 < columns.row_begin[row + 1] ? std::optional(activity + 1) : std::nullopt;
}

std::optional<uint32_t> nearest(const Columns& columns, uint32_t row, double at_ns) {
  const auto begin = columns.begin_ns.begin() + columns.row_begin[row];
  const auto end = columns.begin_ns.begin() + columns.row_begin[row + 1];
  if (begin == end) return std::nullopt;
  const auto after =
      std::partition_point(begin, end, [&](int64_t begins) { return static_cast<double>(begins) <= at_ns; });
  const auto next = static_cast<uint32_t>(after - columns.begin_ns.begin());
  if (after == begin) return next;
  const uint32_t last = next - 1;
  if (after == end) return last;
  const double since = at_ns - static_cast<double>(columns.end_ns[last]);
  return since <= static_cast<double>(columns.begin_ns[next]) - at_ns ? last : next;
}

}  // namespace lockstep::gui::timeline
