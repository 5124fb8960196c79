#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "results/stats/mann_whitney.h"
#include "results/stats/signed_rank.h"
#include "tests/results/noise.h"
#include "tests/results/special_values.h"

namespace lockstep::stats {
namespace {

using Values = std::vector<double>;

Values range(int from, int to) {
  Values out;
  for (int i = from; i <= to; ++i) out.push_back(i);
  return out;
}

TEST(MannWhitney, SmallestTwoSidedP) {
  EXPECT_NEAR(mann_whitney(range(1, 4), range(5, 8)).p_two_sided, 2.0 / 70, 1e-15);      // 0.0286
  EXPECT_NEAR(mann_whitney(range(1, 5), range(6, 10)).p_two_sided, 2.0 / 252, 1e-15);    // 0.0079
  EXPECT_NEAR(mann_whitney(range(1, 8), range(9, 16)).p_two_sided, 2.0 / 12870, 1e-15);  // 0.000155
  EXPECT_TRUE(mann_whitney(range(1, 8), range(9, 16)).exact);
}

// Permeability constants, Hollander and Wolfe (1973), page 69: W = 35, one-sided p = 0.1272.
TEST(MannWhitney, HollanderAndWolfe) {
  const Values at_term{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
  const Values early{1.15, 0.88, 0.90, 0.74, 1.21};
  EXPECT_NEAR(mann_whitney(at_term, early).p_greater, 0.1272, 5e-5);
}

// Depression scores, Hollander and Wolfe (1973), page 29: V = 40, one-sided p = 0.01953.
TEST(SignedRank, HollanderAndWolfe) {
  const Values first{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const Values second{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  Values differences;
  for (size_t i = 0; i < first.size(); ++i) differences.push_back(first[i] - second[i]);
  EXPECT_NEAR(signed_rank(differences).p_greater, 10.0 / 512, 1e-14);
}

TEST(SignedRank, SmallestP) {
  EXPECT_EQ(signed_rank(range(1, 6)).p_two_sided, 0.03125);
  EXPECT_EQ(signed_rank(range(1, 6)).p_greater, 1.0 / 64);
  EXPECT_EQ(signed_rank(range(1, 6)).p_less, 1.0);
  EXPECT_EQ(signed_rank(range(1, 8)).p_greater, 1.0 / 256);
}

// Critical values of published tables, as cut and level.
TEST(Cuts, PublishedCriticalValues) {
  EXPECT_EQ(mann_whitney_cut(8, 8, 0.95).k, 14);  // U <= 13
  EXPECT_NEAR(mann_whitney_cut(8, 8, 0.95).level, 0.9501, 5e-5);
  EXPECT_EQ(mann_whitney_cut(10, 10, 0.95).k, 24);  // U <= 23
  EXPECT_EQ(mann_whitney_cut(5, 5, 0.95).k, 3);     // U <= 2
  EXPECT_EQ(mann_whitney_cut(4, 4, 0.95).k, 1);
  EXPECT_NEAR(mann_whitney_cut(4, 4, 0.95).level, 1 - 2.0 / 70, 1e-14);
  EXPECT_NEAR(mann_whitney_cut(3, 3, 0.95).level, 0.9, 1e-14);
  EXPECT_EQ(signed_rank_cut(6, 0.95).k, 1);
  EXPECT_EQ(signed_rank_cut(6, 0.95).level, 0.96875);
  EXPECT_EQ(signed_rank_cut(5, 0.95).level, 0.9375);
  EXPECT_EQ(signed_rank_cut(4, 0.95).level, 0.875);
  EXPECT_EQ(signed_rank_cut(8, 0.95).k, 4);  // T <= 3
  EXPECT_EQ(signed_rank_cut(8, 0.95).level, 1 - 10.0 / 256);
  EXPECT_EQ(signed_rank_cut(10, 0.95).k, 9);   // T <= 8
  EXPECT_EQ(signed_rank_cut(20, 0.95).k, 53);  // T <= 52
}

double rank_sum(const Values& all, uint32_t mask) {
  double sum = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if ((mask >> i & 1) == 0) continue;
    for (const double other : all) sum += other < all[i] ? 1 : other == all[i] ? 0.5 : 0;
  }
  return sum;
}

// Every arrangement of the pooled values, ties and all, against the table.
TEST(MannWhitney, TiesAgreeWithEnumeration) {
  testing::Noise noise(7);
  for (int trial = 0; trial < 40; ++trial) {
    Values all;
    for (int i = 0; i < 9; ++i) all.push_back(std::floor(4 * noise.uniform()));
    const uint32_t chosen = 0b1111;
    const double observed = rank_sum(all, chosen);
    int lower = 0, upper = 0, total = 0;
    for (uint32_t mask = 0; mask < 512; ++mask) {
      if (std::popcount(mask) != 4) continue;
      ++total;
      lower += rank_sum(all, mask) <= observed;
      upper += rank_sum(all, mask) >= observed;
    }
    const RankTest test = mann_whitney(Values(all.begin(), all.begin() + 4), Values(all.begin() + 4, all.end()));
    EXPECT_NEAR(test.p_less, static_cast<double>(lower) / total, 1e-12);
    EXPECT_NEAR(test.p_greater, static_cast<double>(upper) / total, 1e-12);
  }
}

double positive_ranks(const Values& differences, uint32_t signs) {
  double sum = 0;
  for (size_t i = 0; i < differences.size(); ++i) {
    if (differences[i] == 0 || (signs >> i & 1) == 0) continue;
    sum += 0.5;
    for (const double other : differences) {
      sum += std::abs(other) < std::abs(differences[i]) ? 1 : std::abs(other) == std::abs(differences[i]) ? 0.5 : 0;
    }
  }
  return sum;
}

TEST(SignedRank, TiesAndZerosAgreeWithEnumeration) {
  testing::Noise noise(11);
  for (int trial = 0; trial < 40; ++trial) {
    Values differences;
    uint32_t observed_signs = 0;
    for (uint32_t i = 0; i < 8; ++i) {
      differences.push_back(std::floor(5 * noise.uniform()) - 2);
      if (differences.back() > 0) observed_signs |= 1u << i;
    }
    const double observed = positive_ranks(differences, observed_signs);
    int lower = 0, upper = 0;
    for (uint32_t signs = 0; signs < 256; ++signs) {
      lower += positive_ranks(differences, signs) <= observed;
      upper += positive_ranks(differences, signs) >= observed;
    }
    EXPECT_NEAR(signed_rank(differences).p_less, lower / 256.0, 1e-12);
    EXPECT_NEAR(signed_rank(differences).p_greater, upper / 256.0, 1e-12);
  }
}

// Either side of the limit, where the table ends and the approximation begins, p must not jump.
TEST(MannWhitney, ApproximationContinuesTheTable) {
  Values a, b;
  for (int i = 0; i < 50; ++i) {
    a.push_back(2.0 * i);
    b.push_back(2.0 * i + 13);
  }
  const RankTest exact = mann_whitney(a, b);
  a.push_back(50.5);
  b.push_back(50.6);
  const RankTest approximate = mann_whitney(a, b);
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(approximate.exact);
  EXPECT_NEAR(approximate.p_less, exact.p_less, 0.01);
}

TEST(RankTests, AllEqualValuesSayNothing) {
  EXPECT_EQ(mann_whitney(Values(4, 1.0), Values(4, 1.0)).p_two_sided, 1);
  EXPECT_EQ(mann_whitney(Values(80, 1.0), Values(80, 1.0)).p_two_sided, 1);
  EXPECT_EQ(signed_rank(Values(6, 0.0)).p_two_sided, 1);
}

TEST(RankTests, RefuseWithAReason) {
  EXPECT_EQ(mann_whitney(Values{}, Values{1}).refusal, Refusal::no_values);
  EXPECT_EQ(mann_whitney(Values{1}, Values{kNaN}).refusal, Refusal::not_a_number);
  EXPECT_TRUE(std::isnan(mann_whitney(Values{1}, Values{kNaN}).p_two_sided));
  EXPECT_EQ(signed_rank(Values{1, std::numeric_limits<double>::infinity()}).refusal, Refusal::infinite);
}

}  // namespace
}  // namespace lockstep::stats
