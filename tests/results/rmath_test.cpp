// The rank tables against R's, where its mathematics library is installed: r-mathlib of Debian, in tests only.
#include <gtest/gtest.h>

#ifdef LOCKSTEP_WITH_RMATH
#define MATHLIB_STANDALONE
#include <Rmath.h>
#endif

#include <numeric>
#include <vector>

#include "results/stats/median.h"
#include "results/stats/rank_tables.h"

namespace lockstep::stats {
namespace {

#ifdef LOCKSTEP_WITH_RMATH

/// Doubled ranks 2, 4, ... of n values without ties.
std::vector<int64_t> untied(int64_t n) {
  std::vector<int64_t> out;
  for (int64_t rank = 1; rank <= n; ++rank) out.push_back(2 * rank);
  return out;
}

TEST(Rmath, RankSumIsWilcox) {
  for (int64_t m = 1; m <= 14; ++m) {
    for (int64_t n = 1; n <= 14; ++n) {
      const std::vector<double> table = rank_sum_distribution(untied(m + n), m);
      for (int64_t u = 0; u <= m * n; ++u) {
        const int64_t doubled = 2 * u + m * (m + 1);  // U counts from 0, the sum of ranks from m (m + 1) / 2
        const auto at = static_cast<double>(u), of_m = static_cast<double>(m), of_n = static_cast<double>(n);
        ASSERT_NEAR(lower_tail(table, doubled), pwilcox(at, of_m, of_n, 1, 0), 1e-12) << m << " " << n << " " << u;
      }
    }
  }
}

TEST(Rmath, SignedRankIsSignrank) {
  for (int64_t n = 1; n <= 40; ++n) {
    const std::vector<double> table = signed_rank_distribution(untied(n));
    for (int64_t v = 0; v <= n * (n + 1) / 2; ++v) {
      const double expected = psignrank(static_cast<double>(v), static_cast<double>(n), 1, 0);
      ASSERT_NEAR(lower_tail(table, 2 * v), expected, 1e-12) << n << " " << v;
    }
  }
}

TEST(Rmath, MedianLevelsAreBinomial) {
  for (int n = 6; n <= 60; ++n) {
    std::vector<double> values(static_cast<size_t>(n));
    std::iota(values.begin(), values.end(), 1.0);
    const Estimate estimate = median(values);
    EXPECT_NEAR(estimate.level, 1 - 2 * pbinom(estimate.low - 1, n, 0.5, 1, 0), 1e-12) << n;
    EXPECT_GE(estimate.level, 0.95);
    EXPECT_LT(1 - 2 * pbinom(estimate.low, n, 0.5, 1, 0), 0.95) << "a narrower interval would do: n " << n;
  }
}

#else

TEST(Rmath, TablesAgree) { GTEST_SKIP() << "libRmath is not installed (Debian: r-mathlib)"; }

#endif

}  // namespace
}  // namespace lockstep::stats
