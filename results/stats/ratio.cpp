#include "results/stats/ratio.h"

#include <algorithm>
#include <vector>

#include "results/stats/mann_whitney.h"
#include "results/stats/median.h"
#include "results/stats/signed_rank.h"

namespace lockstep::stats {

namespace {

Refusal check_both(std::span<const double> a, std::span<const double> b) {
  return std::max(check(a, Domain::positive), check(b, Domain::positive));
}

// Median and cut of the ascending table of differences, back from logs.
Estimate from_table(std::vector<double> table, const Cut& cut, int64_t n) {
  std::sort(table.begin(), table.end());
  Estimate out;
  out.n = n;
  out.value = std::exp(middle(table));
  out.low = std::exp(table[static_cast<size_t>(cut.k - 1)]);
  out.high = std::exp(table[table.size() - static_cast<size_t>(cut.k)]);
  out.level = cut.level;
  return out;
}

std::vector<double> walsh_averages(const std::vector<double>& differences) {
  std::vector<double> out;
  out.reserve(differences.size() * (differences.size() + 1) / 2);
  for (size_t i = 0; i < differences.size(); ++i) {
    for (size_t j = 0; j <= i; ++j) out.push_back((differences[j] + differences[i]) / 2);
  }
  return out;
}

}  // namespace

std::vector<double> log_differences(std::span<const double> a, std::span<const double> b) {
  std::vector<double> out;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) out.push_back(std::log(a[i]) - std::log(b[i]));
  std::sort(out.begin(), out.end());
  return out;
}

Estimate ratio(std::span<const double> a, std::span<const double> b, double level) {
  Estimate refused;
  refused.n = static_cast<int64_t>(std::min(a.size(), b.size()));
  refused.refusal = check_both(a, b);
  if (!refused.ok()) return refused;
  std::vector<double> table;
  table.reserve(a.size() * b.size());
  for (const double x : a) {
    for (const double y : b) table.push_back(std::log(x) - std::log(y));
  }
  const Cut cut = mann_whitney_cut(static_cast<int64_t>(a.size()), static_cast<int64_t>(b.size()), level);
  return from_table(std::move(table), cut, refused.n);
}

Estimate ratio_paired(std::span<const double> a, std::span<const double> b, double level) {
  Estimate refused;
  refused.n = static_cast<int64_t>(std::min(a.size(), b.size()));
  refused.refusal = a.size() != b.size() ? Refusal::unequal_lengths : check_both(a, b);
  if (!refused.ok()) return refused;
  return from_table(walsh_averages(log_differences(a, b)), signed_rank_cut(refused.n, level), refused.n);
}

}  // namespace lockstep::stats
