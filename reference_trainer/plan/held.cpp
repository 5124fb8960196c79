#include "reference_trainer/plan/held.h"

#include <algorithm>

namespace lockstep::plan {

std::vector<Held::Range> Held::within(int64_t begin, int64_t count) const {
  std::vector<Range> parts;
  for (const Range& range : ranges) {
    const int64_t from = std::max(begin, range.begin), to = std::min(begin + count, range.begin + range.count);
    if (from < to) parts.push_back({from, to - from, range.at + from - range.begin});
  }
  return parts;
}

int64_t Held::count_within(int64_t begin, int64_t count) const {
  int64_t sum = 0;
  for (const Range& range : within(begin, count)) sum += range.count;
  return sum;
}

}  // namespace lockstep::plan
