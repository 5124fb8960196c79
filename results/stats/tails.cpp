#include "results/stats/tails.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>

#include "results/stats/rank_tables.h"

namespace lockstep::stats::detail {

namespace {

using Normal = boost::math::normal_distribution<double>;

RankTest with_two_sided(RankTest test) {
  test.p_two_sided = std::min(1.0, 2 * std::min(test.p_less, test.p_greater));
  return test;
}

}  // namespace

RankTest exact_test(std::span<const double> distribution, int64_t statistic) {
  RankTest test;
  test.exact = true;
  test.p_less = lower_tail(distribution, statistic);
  test.p_greater = upper_tail(distribution, statistic);
  return with_two_sided(test);
}

RankTest normal_test(double statistic, double mean, double variance, double half_spacing) {
  RankTest test;
  if (variance <= 0) {  // all values tied: nothing speaks against the null
    test.p_less = test.p_greater = 1;
    return with_two_sided(test);
  }
  const double deviation = std::sqrt(variance);
  test.p_less = boost::math::cdf(Normal(), (statistic - mean + half_spacing) / deviation);
  test.p_greater = boost::math::cdf(boost::math::complement(Normal(), (statistic - mean - half_spacing) / deviation));
  return with_two_sided(test);
}

Cut exact_cut(std::span<const double> distribution, double level) {
  Cut cut{1, 1 - 2 * distribution.front()};
  double below = distribution.front();
  for (size_t k = 2; 2 * k <= distribution.size(); ++k) {
    below += distribution[k - 1];
    if (1 - 2 * below < level) break;
    cut = {static_cast<int64_t>(k), 1 - 2 * below};
  }
  cut.level = std::max(cut.level, 0.0);
  return cut;
}

Cut normal_cut(double mean, double variance, double level) {
  const double deviation = std::sqrt(variance);
  const double quantile = boost::math::quantile(Normal(), (1 - level) / 2);
  const auto k = std::max<int64_t>(1, static_cast<int64_t>(std::floor(mean + quantile * deviation + 0.5)));
  return {k, 1 - 2 * boost::math::cdf(Normal(), (static_cast<double>(k) - 0.5 - mean) / deviation)};
}

}  // namespace lockstep::stats::detail
