#pragma once

#include <cstdint>
#include <span>

#include "results/stats/mann_whitney.h"

namespace lockstep::stats::detail {

/// One- and two-sided p of a statistic from its exact distribution.
RankTest exact_test(std::span<const double> distribution, int64_t statistic);

/// The same from the normal approximation, with a continuity correction of half the statistic's spacing.
RankTest normal_test(double statistic, double mean, double variance, double half_spacing);

/// The largest k with 1 - 2 P(T < k) >= level. `distribution` of T, which is symmetric.
Cut exact_cut(std::span<const double> distribution, double level);

/// The same where T is about normal.
Cut normal_cut(double mean, double variance, double level);

}  // namespace lockstep::stats::detail
