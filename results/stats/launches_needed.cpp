#include "results/stats/launches_needed.h"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "results/stats/median.h"

namespace lockstep::stats {

namespace {

constexpr double kMostLaunches = 1e9;  // beyond it the answer is "more than anybody will run"

std::optional<int64_t> needed(double factor, double sigma, double delta, double level, double power) {
  if (!(delta > 0) || !std::isfinite(sigma)) return std::nullopt;
  const boost::math::normal_distribution<double> standard;
  const double z = boost::math::quantile(standard, (1 + level) / 2) + boost::math::quantile(standard, power);
  const double n = factor * std::pow(z * sigma / delta, 2) * boost::math::constants::pi<double>() / 3;
  if (n > kMostLaunches) return std::nullopt;
  return std::max<int64_t>(2, static_cast<int64_t>(std::ceil(n)));
}

}  // namespace

double robust_deviation(std::span<const double> values) {
  const double center = middle({values.begin(), values.end()});
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - center));
  return 1.4826 * middle(std::move(distances));
}

std::optional<int64_t> launches_needed_unpaired(double sigma_log, double delta, double level, double power) {
  return needed(2, sigma_log, delta, level, power);
}

std::optional<int64_t> launches_needed_paired(double sigma, double delta, double level, double power) {
  return needed(1, sigma, delta, level, power);
}

}  // namespace lockstep::stats
