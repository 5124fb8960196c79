#include "results/stats/rank_tables.h"

#include <algorithm>
#include <numeric>

namespace lockstep::stats {

namespace {

void normalize(std::vector<double>& counts) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  for (double& count : counts) count /= total;
}

}  // namespace

std::vector<int64_t> doubled_midranks(std::span<const double> ascending) {
  std::vector<int64_t> ranks(ascending.size());
  for (size_t begin = 0; begin < ascending.size();) {
    size_t end = begin;
    while (end < ascending.size() && ascending[end] == ascending[begin]) ++end;
    for (size_t i = begin; i < end; ++i) ranks[i] = static_cast<int64_t>(begin + 1 + end);
    begin = end;
  }
  return ranks;
}

std::vector<double> rank_sum_distribution(std::span<const int64_t> doubled_ranks, int64_t m) {
  const auto sum = static_cast<size_t>(std::accumulate(doubled_ranks.begin(), doubled_ranks.end(), int64_t{0}));
  const auto size = static_cast<size_t>(m);
  std::vector<std::vector<double>> counts(size + 1, std::vector<double>(sum + 1, 0.0));
  counts[0][0] = 1;
  size_t reached = 0;  // no subset of the ranks so far has a larger sum
  for (const int64_t rank : doubled_ranks) {
    const auto step = static_cast<size_t>(rank);
    for (size_t taken = size; taken > 0; --taken) {
      for (size_t s = 0; s <= reached; ++s) counts[taken][s + step] += counts[taken - 1][s];
    }
    reached += step;
  }
  normalize(counts[size]);
  return counts[size];
}

std::vector<double> signed_rank_distribution(std::span<const int64_t> doubled_ranks) {
  const auto sum = static_cast<size_t>(std::accumulate(doubled_ranks.begin(), doubled_ranks.end(), int64_t{0}));
  std::vector<double> counts(sum + 1, 0.0);
  counts[0] = 1;
  size_t reached = 0;
  for (const int64_t rank : doubled_ranks) {
    const auto step = static_cast<size_t>(rank);
    for (size_t s = reached + 1; s-- > 0;) counts[s + step] += counts[s];
    reached += step;
  }
  normalize(counts);
  return counts;
}

double lower_tail(std::span<const double> distribution, int64_t s) {
  double sum = 0;
  for (int64_t i = 0; i <= s && i < static_cast<int64_t>(distribution.size()); ++i) {
    sum += distribution[static_cast<size_t>(i)];
  }
  return std::min(sum, 1.0);
}

double upper_tail(std::span<const double> distribution, int64_t s) {
  double sum = 0;
  for (int64_t i = static_cast<int64_t>(distribution.size()) - 1; i >= s && i >= 0; --i) {
    sum += distribution[static_cast<size_t>(i)];
  }
  return std::min(sum, 1.0);
}

}  // namespace lockstep::stats
