#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "results/stats/carry.h"
#include "results/stats/launches_needed.h"

namespace lockstep::stats {
namespace {

TEST(LaunchesNeeded, FormulaByHand) {
  // z = 1.95996 + 0.84162 = 2.80158; sigma = delta: n = 7.8489 pi/3 = 8.2193
  EXPECT_EQ(launches_needed_paired(0.01, 0.01), 9);
  EXPECT_EQ(launches_needed_unpaired(0.01, 0.01), 17);
  EXPECT_EQ(launches_needed_paired(0.02, 0.01), 33);
  EXPECT_EQ(launches_needed_paired(0.0, 0.01), 2);
}

TEST(LaunchesNeeded, NoneWhereNoNumberDecides) {
  EXPECT_FALSE(launches_needed_paired(0.01, 0).has_value());
  EXPECT_FALSE(launches_needed_paired(std::nan(""), 0.01).has_value());
  EXPECT_FALSE(launches_needed_paired(1, 1e-9).has_value());
}

TEST(RobustDeviation, OneWildLaunchDoesNotMoveIt) {
  EXPECT_NEAR(robust_deviation(std::vector<double>{1, 2, 3, 4, 5}), 1.4826, 1e-12);
  EXPECT_NEAR(robust_deviation(std::vector<double>{1, 2, 3, 4, 5e9}), 1.4826, 1e-12);
}

TEST(Carry, SmallestP) {
  EXPECT_NEAR(smallest_p_unpaired(4, 4), 0.014, 5e-4);
  EXPECT_NEAR(smallest_p_unpaired(5, 5), 0.0040, 5e-5);
  EXPECT_NEAR(smallest_p_unpaired(6, 6), 0.0011, 5e-5);
  EXPECT_NEAR(smallest_p_unpaired(8, 8), 7.8e-5, 5e-7);
  EXPECT_EQ(smallest_p_paired(6), 1.0 / 64);
  EXPECT_EQ(smallest_p_paired(8), 1.0 / 256);
}

TEST(Carry, WhatAFamilyNeeds) {
  EXPECT_EQ(least_movers(1.0 / 64, 15), 5);  // 15/64/0.05 = 4.7
  EXPECT_EQ(least_movers(1.0 / 64, 3), 1);
  EXPECT_FALSE(least_movers(1.0 / 16, 10).has_value());
  EXPECT_EQ(launches_for_one_paired(15), 9);   // 2^-9 <= 0.05 / 15
  EXPECT_EQ(launches_for_one_unpaired(1), 3);  // 1 / C(6, 3) = 0.05
  EXPECT_EQ(launches_for_one_unpaired(15), 6);
}

}  // namespace
}  // namespace lockstep::stats
