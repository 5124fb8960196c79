#include "results/stats/geometric_mean.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <numeric>
#include <random>

namespace lockstep::stats {

namespace {

constexpr size_t kLeastLaunches = 8;

using Group = std::vector<double>;  // logs of one side of one cell, ascending
using Groups = std::vector<Group>;  // a and b of cell after cell

double mean(const Group& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Each group's mean enters with this weight: the statistic is linear in them.
double weight(const Groups& groups, size_t i) { return (i % 2 == 0 ? 2.0 : -2.0) / static_cast<double>(groups.size()); }

double statistic(const Groups& groups) {
  double sum = 0;
  for (size_t i = 0; i < groups.size(); ++i) sum += weight(groups, i) * mean(groups[i]);
  return sum;
}

// Not std::uniform_int_distribution: its results are not the same in every standard library.
size_t draw(std::mt19937_64& random, size_t n) {
  return static_cast<size_t>((random() >> 11) * 0x1p-53 * static_cast<double>(n));
}

std::vector<double> bootstrap(const Groups& groups, int64_t resamples, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> out;
  for (int64_t b = 0; b < resamples; ++b) {
    double sum = 0;
    for (size_t i = 0; i < groups.size(); ++i) {
      double drawn = 0;
      for (size_t j = 0; j < groups[i].size(); ++j) drawn += groups[i][draw(random, groups[i].size())];
      sum += weight(groups, i) * drawn / static_cast<double>(groups[i].size());
    }
    out.push_back(sum);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Skewness of the jackknife's influence values over 6 (Efron and Tibshirani 1993, section 14.3, several samples).
double acceleration(const Groups& groups) {
  double cubes = 0, squares = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    const double n = static_cast<double>(groups[i].size());
    for (const double value : groups[i]) {
      const double influence = weight(groups, i) * (value - mean(groups[i])) / n;
      squares += influence * influence;
      cubes += influence * influence * influence;
    }
  }
  return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

double bias(const std::vector<double>& ascending, double value) {
  const auto below = std::lower_bound(ascending.begin(), ascending.end(), value) - ascending.begin();
  const auto not_above = std::upper_bound(ascending.begin(), ascending.end(), value) - ascending.begin();
  const double share = static_cast<double>(below + not_above) / (2.0 * static_cast<double>(ascending.size()));
  const double edge = 0.5 / static_cast<double>(ascending.size());
  return boost::math::quantile(boost::math::normal_distribution<double>(), std::clamp(share, edge, 1 - edge));
}

double bca_quantile(const std::vector<double>& ascending, double z0, double a, double share) {
  const boost::math::normal_distribution<double> standard;
  const double z = z0 + boost::math::quantile(standard, share);
  const double adjusted = boost::math::cdf(standard, z0 + z / (1 - a * z));
  const auto last = static_cast<double>(ascending.size() - 1);
  return ascending[static_cast<size_t>(std::lround(adjusted * last))];
}

Refusal refusal_of(const std::vector<Cell>& cells) {
  if (cells.empty()) return Refusal::no_values;
  Refusal worst = Refusal::none;
  bool few = false;
  for (const Cell& cell : cells) {
    worst = std::max({worst, check(cell.a, Domain::positive), check(cell.b, Domain::positive)});
    few = few || std::min(cell.a.size(), cell.b.size()) < kLeastLaunches;
  }
  return worst == Refusal::none && few ? Refusal::too_few : worst;
}

Groups logs_of(const std::vector<Cell>& cells) {
  std::vector<std::pair<Group, Group>> sorted;
  for (const Cell& cell : cells) {
    std::pair<Group, Group> sides{cell.a, cell.b};
    for (Group* side : {&sides.first, &sides.second}) {
      for (double& value : *side) value = std::log(value);
      std::sort(side->begin(), side->end());
    }
    sorted.push_back(std::move(sides));
  }
  std::sort(sorted.begin(), sorted.end());
  Groups out;
  for (auto& [a, b] : sorted) {
    out.push_back(std::move(a));
    out.push_back(std::move(b));
  }
  return out;
}

}  // namespace

Estimate geometric_mean(std::span<const double> values) {
  Estimate out;
  out.n = static_cast<int64_t>(values.size());
  out.refusal = check(values, Domain::positive);
  if (!out.ok()) return out;
  Group logs(values.begin(), values.end());
  for (double& value : logs) value = std::log(value);
  std::sort(logs.begin(), logs.end());
  out.value = out.low = out.high = std::exp(mean(logs));
  return out;
}

Estimate geometric_mean_ratio(std::vector<Cell> cells, double level, int64_t resamples, uint64_t seed) {
  Estimate out;
  out.refusal = refusal_of(cells);
  for (const Cell& cell : cells) {
    const auto launches = static_cast<int64_t>(std::min(cell.a.size(), cell.b.size()));
    out.n = &cell == cells.data() ? launches : std::min(out.n, launches);
  }
  if (!out.ok()) return out;
  const Groups groups = logs_of(cells);
  const double value = statistic(groups);
  const std::vector<double> ascending = bootstrap(groups, resamples, seed);
  const double z0 = bias(ascending, value);
  const double a = acceleration(groups);
  out.value = std::exp(value);
  out.low = std::exp(bca_quantile(ascending, z0, a, (1 - level) / 2));
  out.high = std::exp(bca_quantile(ascending, z0, a, (1 + level) / 2));
  out.level = level;
  return out;
}

}  // namespace lockstep::stats
