#pragma once

#include <span>

#include "results/stats/estimate.h"

namespace lockstep::stats {

/// p-values of a rank test; NaN where it was refused.
struct RankTest {
  double p_less = std::numeric_limits<double>::quiet_NaN();  ///< one-sided: the first sample, or difference, is lower
  double p_greater = std::numeric_limits<double>::quiet_NaN();    ///< one-sided: it is higher
  double p_two_sided = std::numeric_limits<double>::quiet_NaN();  ///< twice the smaller one, at most 1
  bool exact = false;                                             ///< else normal approximation
  Refusal refusal = Refusal::none;
};

/// Mann-Whitney (1947) rank-sum test of a against b. Exact up to kExactLimit values in all, conditional on ties; beyond
/// it normal with tie and continuity correction. Infinities rank as such.
/// Smallest two-sided p: 4v4 0.029, 5v5 0.0079, 8v8 0.00016.
RankTest mann_whitney(std::span<const double> a, std::span<const double> b);

/// How many of the m*n ascending differences to leave out at either end, plus one, so that the interval between the
/// k-th smallest and the k-th largest has at least `level` (k = 1 where none has); and the level that it has.
struct Cut {
  int64_t k = 1;
  double level = 0;
};
Cut mann_whitney_cut(int64_t m, int64_t n, double level);

}  // namespace lockstep::stats
