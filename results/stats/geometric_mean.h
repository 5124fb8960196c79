#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "results/stats/estimate.h"

namespace lockstep::stats {

/// exp of the mean of logs. For ratios only. Values must be finite and above 0.
Estimate geometric_mean(std::span<const double> values);

/// Geometric mean over cells of the ratio of geometric means a[i] / b[i], each side the launches of that cell, with the
/// bias-corrected and accelerated bootstrap interval (Efron 1987) that resamples launches inside cells. At least 8
/// launches a side, else too_few. Seeded: the same values give the same interval, in whatever order they come.
struct Cell {
  std::vector<double> a, b;
};
Estimate geometric_mean_ratio(std::vector<Cell> cells, double level = 0.95, int64_t resamples = 2000,
                              uint64_t seed = 1);

}  // namespace lockstep::stats
