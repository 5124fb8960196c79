#include "results/stats/ratio.h"
#include "tests/results/special_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace lockstep::stats {
namespace {

using Values = std::vector<double>;

TEST(Ratio, PowersOfTwoByHand) {
  // Differences of logs in units of log 2: 1 2 3 4 less 0 0 0 0 -> each four times; the middle is 2.5.
  const Estimate estimate = ratio(Values{2, 4, 8, 16}, Values{1, 1, 1, 1});
  ASSERT_TRUE(estimate.ok());
  EXPECT_NEAR(estimate.value, std::exp2(2.5), 1e-12);
  EXPECT_NEAR(estimate.low, 2, 1e-12);
  EXPECT_NEAR(estimate.high, 16, 1e-12);
  EXPECT_NEAR(estimate.level, 1 - 2.0 / 70, 1e-14);
  EXPECT_EQ(estimate.n, 4);
}

TEST(RatioPaired, WalshAveragesByHand) {
  // Differences 0 1 2 3 4 5 (log 2): the middle of the 21 averages is 2.5; at 6 pairs the interval is their range.
  const Estimate estimate = ratio_paired(Values{1, 2, 4, 8, 16, 32}, Values(6, 1.0));
  EXPECT_NEAR(estimate.value, std::exp2(2.5), 1e-12);
  EXPECT_NEAR(estimate.low, 1, 1e-12);
  EXPECT_NEAR(estimate.high, 32, 1e-12);
  EXPECT_EQ(estimate.level, 0.96875);
  EXPECT_EQ(estimate.n, 6);
}

TEST(RatioPaired, EightPairsLeaveThreeOutAtEachEnd) {
  // Walsh averages of 0..7: 0, 0.5, 1, 1, ... so the 4th smallest is 1 and the 4th largest is 6.
  Values a;
  for (int i = 0; i < 8; ++i) a.push_back(std::exp2(i));
  const Estimate estimate = ratio_paired(a, Values(8, 1.0));
  EXPECT_NEAR(estimate.low, 2, 1e-12);
  EXPECT_NEAR(estimate.high, 64, 1e-10);
  EXPECT_NEAR(estimate.level, 0.9609375, 1e-14);
}

TEST(RatioPaired, DriftThatBothSidesShareDropsOut) {
  Values base{10, 11, 12, 13, 14, 15}, twice;
  for (const double value : base) twice.push_back(2 * value);
  const Estimate paired = ratio_paired(twice, base);
  EXPECT_NEAR(paired.low, 2, 1e-12);
  EXPECT_NEAR(paired.high, 2, 1e-12);
  EXPECT_GT(ratio(twice, base).high - ratio(twice, base).low, 0.5);
}

TEST(Ratio, SwappingSidesInverts) {
  const Values a{1.1, 1.3, 0.9, 1.25, 1.02}, b{0.7, 0.8, 0.75, 0.71};
  const Estimate ab = ratio(a, b), ba = ratio(b, a);
  EXPECT_NEAR(ab.value * ba.value, 1, 1e-14);
  EXPECT_NEAR(ab.low * ba.high, 1, 1e-14);
}

TEST(Ratio, EfficiencyIsAScaledRatio) {
  const Estimate efficiency = scaled(ratio_paired(Values(6, 30.0), Values(6, 20.0)), 0.5);
  EXPECT_NEAR(efficiency.value, 0.75, 1e-14);
  EXPECT_NEAR(efficiency.low, 0.75, 1e-14);
  EXPECT_EQ(efficiency.level, 0.96875);
}

TEST(Ratio, RefusesWithAReason) {
  EXPECT_EQ(ratio(Values{}, Values{1}).refusal, Refusal::no_values);
  EXPECT_EQ(ratio(Values{1, kNaN}, Values{1}).refusal, Refusal::not_a_number);
  EXPECT_EQ(ratio(Values{1}, Values{kInf, 1}).refusal, Refusal::infinite);
  EXPECT_EQ(ratio(Values{1}, Values{0}).refusal, Refusal::not_positive);
  EXPECT_EQ(ratio_paired(Values{1, 2}, Values{1}).refusal, Refusal::unequal_lengths);
  EXPECT_TRUE(std::isnan(ratio(Values{1}, Values{0}).value));
  for (int i = 1; i <= static_cast<int>(Refusal::too_few); ++i) EXPECT_STRNE(to_text(static_cast<Refusal>(i)), "");
}

TEST(Ratio, OrderNeverChangesTheBytes) {
  Values a{0.1, 0.7, 0.3, 0.31, 1e-3}, b{0.2, 0.25, 0.9, 0.4, 0.11};
  const Estimate first = ratio(a, b), paired = ratio_paired(a, b);
  for (int turn = 0; turn < 5; ++turn) {
    std::rotate(a.begin(), a.begin() + 1, a.end());
    std::rotate(b.begin(), b.begin() + 1, b.end());
    const Estimate again = ratio(a, b), paired_again = ratio_paired(a, b);
    EXPECT_EQ(std::memcmp(&first.value, &again.value, 4 * sizeof(double)), 0);
    EXPECT_EQ(std::memcmp(&paired.value, &paired_again.value, 4 * sizeof(double)), 0);
  }
}

}  // namespace
}  // namespace lockstep::stats
