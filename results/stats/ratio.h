#pragma once

#include <span>
#include <vector>

#include "results/stats/estimate.h"

namespace lockstep::stats {

/// a / b by Hodges and Lehmann (1963) on logarithms: the median of all |a| x |b| differences of logs, with the exact
/// interval that inverts the Mann-Whitney test. Launches of a and b need no order. Values must be finite and above 0.
/// Largest levels: 3v3 90 %, 4v4 97.1 %.
Estimate ratio(std::span<const double> a, std::span<const double> b, double level = 0.95);

/// The same for pairs a[i], b[i] that were interleaved: the median of the Walsh averages of the differences of logs,
/// with the interval that inverts the signed-rank test. Largest levels: 4 pairs 87.5 %, 5 93.75 %, 6 96.9 %.
Estimate ratio_paired(std::span<const double> a, std::span<const double> b, double level = 0.95);

/// Differences of logs, log a[i] - log b[i], ascending.
std::vector<double> log_differences(std::span<const double> a, std::span<const double> b);

}  // namespace lockstep::stats
