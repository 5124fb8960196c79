#pragma once

#include <cstdint>
#include <optional>

namespace lockstep::stats {

/// What a number of launches can carry at all, told before a suite starts.

/// Smallest one-sided p: m against n launches 1 / C(m + n, n) (4v4 0.014, 8v8 7.8e-5), n pairs 2^-n (6: 0.016).
double smallest_p_unpaired(int64_t m, int64_t n);
double smallest_p_paired(int64_t n);

/// The least number k of `family` comparisons that must move together so that Benjamini-Hochberg at `q` can declare
/// them with p-values no smaller than `smallest_p`. None where even all together cannot.
std::optional<int64_t> least_movers(double smallest_p, int64_t family, double q = 0.05);

/// Launches a side, or pairs, with which a single mover among `family` can be declared.
int64_t launches_for_one_unpaired(int64_t family, double q = 0.05);
int64_t launches_for_one_paired(int64_t family, double q = 0.05);

}  // namespace lockstep::stats
