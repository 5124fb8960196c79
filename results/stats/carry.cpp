#include "results/stats/carry.h"

#include <algorithm>
#include <boost/math/special_functions/binomial.hpp>
#include <cmath>

namespace lockstep::stats {

double smallest_p_unpaired(int64_t m, int64_t n) {
  return 1 / boost::math::binomial_coefficient<double>(static_cast<unsigned>(m + n), static_cast<unsigned>(n));
}

double smallest_p_paired(int64_t n) { return std::ldexp(1.0, -static_cast<int>(n)); }

std::optional<int64_t> least_movers(double smallest_p, int64_t family, double q) {
  const auto k = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(smallest_p * static_cast<double>(family) / q)));
  return k <= family ? std::make_optional(k) : std::nullopt;
}

int64_t launches_for_one_unpaired(int64_t family, double q) {
  int64_t n = 1;
  while (smallest_p_unpaired(n, n) > q / static_cast<double>(std::max<int64_t>(family, 1))) ++n;
  return n;
}

int64_t launches_for_one_paired(int64_t family, double q) {
  int64_t n = 1;
  while (smallest_p_paired(n) > q / static_cast<double>(std::max<int64_t>(family, 1))) ++n;
  return n;
}

}  // namespace lockstep::stats
