#include "results/stats/median.h"
#include "tests/results/special_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace lockstep::stats {
namespace {

std::vector<double> counting(int n) {
  std::vector<double> out;
  for (int i = 1; i <= n; ++i) out.push_back(i);
  return out;
}

struct LevelRow {
  int n;
  int low, high;  // order statistics
  double level;   // 1 - 2 P(Binomial(n, 1/2) < low)
};

// Levels as in tables of the sign test (Dixon and Mood 1946).
constexpr LevelRow kLevels[] = {{1, 1, 1, 0},
                                {2, 1, 2, 0.5},
                                {4, 1, 4, 0.875},
                                {5, 1, 5, 0.9375},
                                {6, 1, 6, 0.96875},
                                {7, 1, 7, 0.984375},
                                {8, 1, 8, 0.9921875},
                                {9, 2, 8, 0.9609375},
                                {10, 2, 9, 0.978515625},
                                {15, 4, 12, 0.96484375},
                                {20, 6, 15, 0.9586105346679688}};

TEST(Median, IntervalAndItsAchievedLevel) {
  for (const LevelRow& row : kLevels) {
    const Estimate estimate = median(counting(row.n));
    ASSERT_TRUE(estimate.ok()) << row.n;
    EXPECT_EQ(estimate.low, row.low) << row.n;
    EXPECT_EQ(estimate.high, row.high) << row.n;
    EXPECT_NEAR(estimate.level, row.level, 1e-14) << row.n;
    EXPECT_EQ(estimate.value, (row.n + 1) / 2.0) << row.n;
    EXPECT_EQ(estimate.n, row.n);
  }
}

TEST(Median, RefusesWhatItCannotRank) {
  EXPECT_EQ(median(std::vector<double>{}).refusal, Refusal::no_values);
  EXPECT_EQ(median(std::vector<double>{1, kNaN, 2}).refusal, Refusal::not_a_number);
  EXPECT_EQ(median(std::vector<double>{-kInf, kInf}).refusal, Refusal::infinite);
  EXPECT_TRUE(std::isnan(median(std::vector<double>{1, kNaN, 2}).value));
}

TEST(Median, MissedTargetsCountAsInfinite) {
  const Estimate estimate = median(std::vector<double>{3, kInf, 1, 2, kInf, 4, 5});
  EXPECT_EQ(estimate.value, 4);
  EXPECT_EQ(estimate.low, 1);
  EXPECT_EQ(estimate.high, kInf);
  EXPECT_EQ(median(std::vector<double>{1, kInf, kInf}).value, kInf);
}

TEST(Median, OrderNeverChangesTheBytes) {
  std::vector<double> values{0.1, 0.7, 0.3, 0.3, 1e-9, 5e8};
  std::sort(values.begin(), values.end());
  const Estimate first = median(values);
  do {
    const Estimate again = median(values);
    ASSERT_EQ(std::memcmp(&first.value, &again.value, 4 * sizeof(double)), 0);
  } while (std::next_permutation(values.begin(), values.end()));
}

}  // namespace
}  // namespace lockstep::stats
