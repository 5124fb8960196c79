#include "gui/core/timeline/range.h"

#include <algorithm>

namespace lockstep::gui::timeline {
namespace {

Range inside(Range range, const Range& whole) {
  const double length = std::min(range.length(), std::max(whole.length(), kShortest_ns));
  const double begin = std::clamp(range.begin_ns, whole.begin_ns, std::max(whole.begin_ns, whole.end_ns - length));
  return {begin, begin + length};
}

}  // namespace

Range zoomed(const Range& range, double factor, double at_ns, const Range& whole) {
  const double length = std::max(range.length() * factor, kShortest_ns);
  const double share = range.length() > 0 ? (at_ns - range.begin_ns) / range.length() : 0.5;
  const double begin = at_ns - share * length;
  return inside({begin, begin + length}, whole);
}

Range moved(const Range& range, double by_ns, const Range& whole) {
  return inside({range.begin_ns + by_ns, range.end_ns + by_ns}, whole);
}

Range around(double begin_ns, double end_ns, const Range& whole) {
  const double length = std::max(end_ns - begin_ns, kShortest_ns / 1.2);
  return inside({begin_ns - 0.1 * length, begin_ns + 1.1 * length}, whole);
}

}  // namespace lockstep::gui::timeline
