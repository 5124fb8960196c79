#include "results/stats/geometric_mean.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/results/noise.h"

namespace lockstep::stats {
namespace {

TEST(GeometricMean, ByHand) {
  EXPECT_NEAR(geometric_mean(std::vector<double>{1, 4, 16}).value, 4, 1e-12);
  EXPECT_EQ(geometric_mean(std::vector<double>{1, 0}).refusal, Refusal::not_positive);
}

std::vector<Cell> two_cells() {
  testing::Noise noise(3);
  std::vector<Cell> cells;
  for (const double factor : {1.2, 0.9}) {
    cells.push_back({launches(noise, &testing::Noise::normal, 8, factor), launches(noise, &testing::Noise::normal, 8)});
  }
  return cells;
}

TEST(GeometricMeanRatio, IntervalHoldsTheTruth) {
  const Estimate estimate = geometric_mean_ratio(two_cells());
  ASSERT_TRUE(estimate.ok());
  EXPECT_NEAR(estimate.value, std::sqrt(1.2 * 0.9), 0.01);
  EXPECT_LT(estimate.low, estimate.value);
  EXPECT_GT(estimate.high, estimate.value);
  EXPECT_LT(estimate.high / estimate.low, 1.03);
  EXPECT_EQ(estimate.n, 8);
}

TEST(GeometricMeanRatio, SeededAndWithoutOrder) {
  std::vector<Cell> cells = two_cells();
  const Estimate first = geometric_mean_ratio(cells);
  std::swap(cells[0], cells[1]);
  std::reverse(cells[0].a.begin(), cells[0].a.end());
  const Estimate again = geometric_mean_ratio(cells);
  EXPECT_EQ(first.value, again.value);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
}

TEST(GeometricMeanRatio, RefusesFewerThanEightLaunches) {
  std::vector<Cell> cells = two_cells();
  cells[1].b.pop_back();
  EXPECT_EQ(geometric_mean_ratio(cells).refusal, Refusal::too_few);
  EXPECT_EQ(geometric_mean_ratio({}).refusal, Refusal::no_values);
}

}  // namespace
}  // namespace lockstep::stats
