// Acceptance by simulation, seeded: what the intervals and words promise holds for noise of four shapes.
#include <gtest/gtest.h>

#include "results/stats/contrast.h"
#include "results/stats/median.h"
#include "results/stats/ratio.h"
#include "tests/results/noise.h"

namespace lockstep::stats {
namespace {

using testing::kShapes;
using testing::launches;
using testing::Noise;

constexpr int kTrials = 2000;

// Three standard errors of a share around `expected` over kTrials.
double slack(double expected) { return 3 * std::sqrt(expected * (1 - expected) / kTrials); }

double true_median(testing::Shape draw) {
  Noise noise(99);
  std::vector<double> many;
  for (int i = 0; i < 200001; ++i) many.push_back((noise.*draw)());
  return 0.010 * std::exp(0.01 * middle(std::move(many)));
}

TEST(Simulation, MedianIntervalCoversAtItsStatedLevel) {
  for (const auto& [name, draw] : kShapes) {
    const double truth = true_median(draw);
    for (const int n : {5, 6, 9, 20}) {
      Noise noise(static_cast<uint64_t>(n));
      int covered = 0;
      double level = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        const Estimate estimate = median(launches(noise, draw, n));
        level = estimate.level;
        covered += estimate.low <= truth && truth <= estimate.high;
      }
      EXPECT_NEAR(static_cast<double>(covered) / kTrials, level, slack(level) + 0.005) << name << " n=" << n;
    }
  }
}

TEST(Simulation, PairedIntervalCoversAtItsStatedLevel) {
  for (const auto& [name, draw] : kShapes) {
    for (const int n : {6, 8, 12}) {
      Noise noise(static_cast<uint64_t>(n));
      int covered = 0;
      double level = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        const std::vector<double> base = launches(noise, draw, n), other = launches(noise, draw, n, 1.3);
        const Estimate estimate = ratio_paired(other, base);
        level = estimate.level;
        covered += estimate.low <= 1.3 && 1.3 <= estimate.high;
      }
      EXPECT_NEAR(static_cast<double>(covered) / kTrials, level, slack(level)) << name << " n=" << n;
    }
  }
}

TEST(Simulation, UnpairedIntervalCoversAtItsStatedLevel) {
  for (const auto& [name, draw] : kShapes) {
    Noise noise(5);
    int covered = 0;
    double level = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      const Estimate estimate = ratio(launches(noise, draw, 6, 1.3), launches(noise, draw, 6));
      level = estimate.level;
      covered += estimate.low <= 1.3 && 1.3 <= estimate.high;
    }
    EXPECT_NEAR(static_cast<double>(covered) / kTrials, level, slack(level)) << name;
  }
}

// A/A with no margin at all: the word "moved" may come at most in 5 %.
TEST(Simulation, FalseAlarmsStayAtTheLevel) {
  for (const auto& [name, draw] : kShapes) {
    for (const bool paired : {false, true}) {
      Noise noise(17);
      int alarms = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        const std::vector<double> a = launches(noise, draw, 6), b = launches(noise, draw, 6);
        const Side side = contrast(a, b, paired, {0, 0}).side;
        alarms += side == Side::above || side == Side::below;
      }
      EXPECT_LE(static_cast<double>(alarms) / kTrials, 0.05 + slack(0.05)) << name << (paired ? " pairs" : "");
    }
  }
}

// The machine slows by 2 % over the launches. Pairs in the order A B B A hold the level; first all A then all B do not.
TEST(Simulation, PairsWithstandDrift) {
  Noise noise(23);
  int paired_alarms = 0, blocked_alarms = 0;
  constexpr int kPairs = 8;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> a, b, first, second;
    for (int i = 0; i < 2 * kPairs; ++i) {
      const double value = std::exp(0.01 * noise.normal() + 0.02 * i / (2 * kPairs - 1));
      const bool is_a = i % 4 == 0 || i % 4 == 3;
      (is_a ? a : b).push_back(value);
      (i < kPairs ? first : second).push_back(value);
    }
    const auto alarm = [](Side side) { return side == Side::above || side == Side::below; };
    paired_alarms += alarm(contrast(a, b, true, {0, 0}).side);
    blocked_alarms += alarm(contrast(first, second, false, {0, 0}).side);
  }
  EXPECT_LE(static_cast<double>(paired_alarms) / kTrials, 0.05 + slack(0.05));
  EXPECT_GT(static_cast<double>(blocked_alarms) / kTrials, 0.2);
}

TEST(Simulation, ARealDifferenceIsSeen) {
  Noise noise(29);
  int seen = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<double> base = launches(noise, &Noise::normal, 6),
                              slow = launches(noise, &Noise::normal, 6, 1.10);
    seen += contrast(slow, base, true, {}).side == Side::above;
  }
  EXPECT_GE(seen, 190);
}

}  // namespace
}  // namespace lockstep::stats
