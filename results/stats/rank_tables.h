#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::stats {

/// Exact null distributions of rank statistics, as probabilities. Ranks are doubled, so that midranks of ties are
/// integers and ties need no second algorithm: with ties the distribution is the one conditional on them.

/// Twice the midranks (from 2) of values in ascending order; equal values share theirs.
std::vector<int64_t> doubled_midranks(std::span<const double> ascending);

/// P(sum of the doubled ranks of a random subset of size m = s) for s from 0 to the sum of all: the statistic of
/// Mann and Whitney (1947). Counts by adding one rank after the other; O(N m S). Only additions of positive numbers, so
/// relative errors stay near 1e-14.
std::vector<double> rank_sum_distribution(std::span<const int64_t> doubled_ranks, int64_t m);

/// P(sum of the doubled ranks with positive sign = s), each sign a fair coin: Wilcoxon (1945). O(n S).
std::vector<double> signed_rank_distribution(std::span<const int64_t> doubled_ranks);

/// Sums of the distribution's ends: P(S <= s), P(S >= s), both at most 1.
double lower_tail(std::span<const double> distribution, int64_t s);
double upper_tail(std::span<const double> distribution, int64_t s);

/// Pooled launches (or pairs) up to which tables are exact; beyond it the normal approximation is taken.
inline constexpr int64_t kExactLimit = 100;

}  // namespace lockstep::stats
