#pragma once

#include <span>
#include <vector>

#include "results/stats/estimate.h"

namespace lockstep::stats {

/// Middle of the values, the mean of the two middle ones for an even number. NaN without values. O(n log n).
double middle(std::vector<double> values);

/// Median with its distribution-free interval between order statistics (Thompson 1936; Hoefler and Belli 2015): the
/// k-th smallest to the k-th largest, k the largest whose level 1 - 2 P(Binomial(n, 1/2) < k) is at least `level`.
/// Below 6 values no such k reaches 95 %: then the interval is [min, max] and says its level (5: 93.75 %).
/// Infinities are ordinary values: a launch that never reached its target counts as +infinity.
Estimate median(std::span<const double> values, double level = 0.95);

}  // namespace lockstep::stats
