#include "results/stats/mann_whitney.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "results/stats/rank_tables.h"
#include "results/stats/tails.h"

namespace lockstep::stats {

namespace {

struct Pooled {
  std::vector<int64_t> ranks;  // doubled, ascending
  int64_t statistic = 0;       // sum of the first sample's
};

Pooled pool(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  std::sort(all.begin(), all.end());
  Pooled out{doubled_midranks(all), 0};
  for (const double value : a) {
    const auto at = std::lower_bound(all.begin(), all.end(), value) - all.begin();
    out.statistic += out.ranks[static_cast<size_t>(at)];
  }
  return out;
}

// Variance of the doubled rank sum; the pooled ranks carry the correction for ties.
double variance(const std::vector<int64_t>& ranks, double m, double n) {
  const double mean = m + n + 1;
  double squares = 0;
  for (const int64_t rank : ranks) squares += (static_cast<double>(rank) - mean) * (static_cast<double>(rank) - mean);
  return m * n * squares / ((m + n) * (m + n - 1));
}

}  // namespace

RankTest mann_whitney(std::span<const double> a, std::span<const double> b) {
  RankTest refused;
  for (const std::span<const double> side : {a, b}) {
    refused.refusal = std::max(refused.refusal, check(side, Domain::ordered));
  }
  if (refused.refusal != Refusal::none) return refused;
  const Pooled pooled = pool(a, b);
  const auto m = static_cast<double>(a.size());
  const auto n = static_cast<double>(b.size());
  if (static_cast<int64_t>(pooled.ranks.size()) <= kExactLimit) {
    return detail::exact_test(rank_sum_distribution(pooled.ranks, static_cast<int64_t>(a.size())), pooled.statistic);
  }
  return detail::normal_test(static_cast<double>(pooled.statistic), m * (m + n + 1), variance(pooled.ranks, m, n), 1);
}

Cut mann_whitney_cut(int64_t m, int64_t n, double level) {
  if (m + n > kExactLimit) {
    const auto [x, y] = std::pair(static_cast<double>(m), static_cast<double>(n));
    return detail::normal_cut(x * y / 2, x * y * (x + y + 1) / 12, level);
  }
  std::vector<int64_t> ranks(static_cast<size_t>(m + n));
  std::iota(ranks.begin(), ranks.end(), int64_t{1});
  const std::vector<double> sums = rank_sum_distribution(ranks, m);
  const auto smallest = m * (m + 1) / 2;  // U = 0
  return detail::exact_cut(std::span(sums).subspan(static_cast<size_t>(smallest), static_cast<size_t>(m * n + 1)),
                           level);
}

}  // namespace lockstep::stats
