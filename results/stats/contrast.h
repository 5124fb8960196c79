#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "results/stats/estimate.h"

namespace lockstep::stats {

/// What difference is worth a word: `relative` to 1 and, in the metric's own unit, an absolute `floor`: a ratio counts
/// only where it also means a difference larger than the floor.
struct Margin {
  double relative = 0.03;
  double floor = 0;
};

/// Where the interval of a / b lies against 1 - d and 1 + d.
enum class Side : uint8_t { above, below, within, straddles };

/// Whether a higher value of the metric is bad (time, memory) or good (speed).
enum class Better : uint8_t { lower, higher };

/// a / b with what is needed for a verdict.
struct Contrast {
  Estimate ratio;
  bool paired = false;
  double margin = 0;  ///< relative, the floor included
  /// One-sided, for a ratio beyond the margin on the estimate's side (b shifted by the margin in logs); NaN: refused.
  double p = std::numeric_limits<double>::quiet_NaN();
  double q = std::numeric_limits<double>::quiet_NaN();  ///< set by `settle`
  Side side = Side::straddles;
  std::optional<int64_t> launches_needed;  ///< a side, or pairs; only where it straddles, none: no number would do
};

Contrast contrast(std::span<const double> a, std::span<const double> b, bool paired, const Margin& margin,
                  double level = 0.95);

/// Over all comparisons that are told together: sets each q (Benjamini-Hochberg) and takes back (`straddles`) those
/// above or below whose q exceeds `q_limit`.
void settle(std::vector<Contrast>& family, double q_limit = 0.05);

/// "regressed", "improved", "equivalent", "inconclusive"; "error" where the ratio was refused. For builds.
const char* gate_word(const Contrast& contrast, Better better);
/// "faster", "slower", "equal", "cannot tell"; "error". For systems and fabrics; a and b are speeds.
const char* speed_word(const Contrast& contrast);
/// "gains", "loses", "equal", "cannot tell"; "error". For rank counts; a and b are speeds.
const char* scaling_word(const Contrast& contrast);

}  // namespace lockstep::stats
