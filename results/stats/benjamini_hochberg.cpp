#include "results/stats/benjamini_hochberg.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lockstep::stats {

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<double> q(p.size());
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto value = [&](size_t i) { return std::isnan(p[i]) ? 1.0 : p[i]; };
  std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) { return value(i) < value(j); });
  double least = 1;
  for (size_t rank = p.size(); rank-- > 0;) {
    const auto family = static_cast<double>(p.size());
    least = std::min(least, value(order[rank]) * family / static_cast<double>(rank + 1));
    q[order[rank]] = least;
  }
  return q;
}

}  // namespace lockstep::stats
