#pragma once

#include <span>

#include "results/stats/mann_whitney.h"

namespace lockstep::stats {

/// Wilcoxon (1945) signed-rank test of differences against zero. Exact up to kExactLimit pairs, conditional on ties;
/// zeros are ranked and then left out (Pratt 1959). Differences must be finite. Least two-sided p: 6 pairs 0.031.
RankTest signed_rank(std::span<const double> differences);

/// The same as mann_whitney_cut for the n(n+1)/2 Walsh averages of n differences.
Cut signed_rank_cut(int64_t n, double level);

}  // namespace lockstep::stats
