#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lockstep::stats {

/// 1.4826 x the median absolute deviation from the median: the standard deviation, where noise is about normal, unmoved
/// by a few wild launches. Not a number without values.
double robust_deviation(std::span<const double> values);

/// Launches a side (or pairs) after which a rank test decides, with these chances: `level` two-sided, `power` of seeing
/// an effect `delta` (a distance in logs, above 0) beyond the margin. The factor pi/3 is what ranks lose against means
/// under normal noise (Lehmann 1975). None where delta is 0: no number of launches decides.
std::optional<int64_t> launches_needed_unpaired(double sigma_log, double delta, double level = 0.95,
                                                double power = 0.8);
/// `sigma` of the differences of logs of the pairs.
std::optional<int64_t> launches_needed_paired(double sigma, double delta, double level = 0.95, double power = 0.8);

}  // namespace lockstep::stats
