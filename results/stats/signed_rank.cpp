#include "results/stats/signed_rank.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "results/stats/rank_tables.h"
#include "results/stats/tails.h"

namespace lockstep::stats {

namespace {

struct Signed {
  std::vector<int64_t> ranks;  // doubled, of the differences that are not zero
  int64_t statistic = 0;       // sum of those of positive ones
};

Signed rank_signed(std::span<const double> differences) {
  std::vector<double> sorted(differences.begin(), differences.end());
  std::sort(sorted.begin(), sorted.end(),
            [](double x, double y) { return std::abs(x) != std::abs(y) ? std::abs(x) < std::abs(y) : x < y; });
  std::vector<double> sizes;
  for (const double value : sorted) sizes.push_back(std::abs(value));
  const std::vector<int64_t> all = doubled_midranks(sizes);
  Signed out;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] == 0) continue;
    out.ranks.push_back(all[i]);
    if (sorted[i] > 0) out.statistic += all[i];
  }
  return out;
}

}  // namespace

RankTest signed_rank(std::span<const double> differences) {
  RankTest refused;
  refused.refusal = check(differences, Domain::finite);
  if (refused.refusal != Refusal::none) return refused;
  const Signed ranked = rank_signed(differences);
  if (static_cast<int64_t>(differences.size()) <= kExactLimit) {
    return detail::exact_test(signed_rank_distribution(ranked.ranks), ranked.statistic);
  }
  double mean = 0, variance = 0;
  for (const int64_t rank : ranked.ranks) {
    mean += static_cast<double>(rank) / 2;
    variance += static_cast<double>(rank) * static_cast<double>(rank) / 4;
  }
  return detail::normal_test(static_cast<double>(ranked.statistic), mean, variance, 1);
}

Cut signed_rank_cut(int64_t n, double level) {
  const auto x = static_cast<double>(n);
  if (n > kExactLimit) return detail::normal_cut(x * (x + 1) / 4, x * (x + 1) * (2 * x + 1) / 24, level);
  std::vector<int64_t> ranks(static_cast<size_t>(n));
  std::iota(ranks.begin(), ranks.end(), int64_t{1});
  return detail::exact_cut(signed_rank_distribution(ranks), level);
}

}  // namespace lockstep::stats
