#include "results/stats/median.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <numeric>

namespace lockstep::stats {

namespace {

double level_of(int64_t n, int64_t k) {
  const boost::math::binomial_distribution<double> coins(static_cast<double>(n), 0.5);
  return 1 - 2 * boost::math::cdf(coins, static_cast<double>(k - 1));
}

// The narrowest of the intervals that reach the level; k = 1 where none does.
int64_t narrowest(int64_t n, double level) {
  int64_t k = 1;
  while (2 * (k + 1) <= n && level_of(n, k + 1) >= level) ++k;
  return k;
}

}  // namespace

double middle(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  if (values.size() % 2 == 1 || values[half - 1] == values[half]) return values[half];
  return std::midpoint(values[half - 1], values[half]);
}

Estimate median(std::span<const double> values, double level) {
  Estimate out;
  out.n = static_cast<int64_t>(values.size());
  out.refusal = check(values, Domain::ordered);
  if (!out.ok()) return out;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const int64_t k = narrowest(out.n, level);
  out.value = middle(sorted);
  if (std::isnan(out.value)) out.refusal = Refusal::infinite;  // the middle lies between -inf and +inf
  out.low = sorted[static_cast<size_t>(k - 1)];
  out.high = sorted[static_cast<size_t>(out.n - k)];
  out.level = out.n == 1 ? 0 : level_of(out.n, k);
  return out;
}

}  // namespace lockstep::stats
