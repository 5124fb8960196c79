#pragma once

#include <cstdint>

namespace lockstep::gui::timeline {

/// A stretch of time in nanoseconds; real, so that zooming is smooth.
struct Range {
  double begin_ns = 0, end_ns = 0;
  double length() const { return end_ns - begin_ns; }
  bool operator==(const Range&) const = default;
};

/// The shortest stretch that is shown.
inline constexpr double kShortest_ns = 20;

/// `factor` times as long (below 1: closer), `at_ns` staying where it is; never shorter than kShortest_ns or outside
/// `whole`.
Range zoomed(const Range& range, double factor, double at_ns, const Range& whole);
/// Moved, as far as `whole` allows.
Range moved(const Range& range, double by_ns, const Range& whole);
/// Just around [begin, end) with a tenth of room on each side.
Range around(double begin_ns, double end_ns, const Range& whole);

}  // namespace lockstep::gui::timeline
