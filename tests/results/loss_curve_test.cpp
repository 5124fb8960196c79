#include "results/snapshot/loss_curve.h"

#include <gtest/gtest.h>

namespace lockstep::snapshot::loss_curve_test {
namespace {

using Series = std::vector<store::SeriesRow>;
using Stamps = std::vector<int64_t>;
using Losses = std::vector<double>;

TEST(LossCurve, IsTheWeightedMeanOverRanksAtTheLastRanksEnd) {
  const Series series{{0, "step_begin_ns", "ns", Stamps{100, 200}},
                      {0, "step_end_ns", "ns", Stamps{200, 300}},
                      {0, "loss", "nat", Losses{4, 2}},
                      {0, "loss_weight", "", Losses{3, 1}},
                      {1, "step_begin_ns", "ns", Stamps{90, 210}},
                      {1, "step_end_ns", "ns", Stamps{190, 330}},
                      {1, "loss", "nat", Losses{8, 6}},
                      {1, "loss_weight", "", Losses{1, 0}}};
  const LossCurve curve = loss_curve({.number = 7}, series);
  EXPECT_EQ(curve.launch, 7);
  ASSERT_EQ(curve.points.size(), 2U);
  EXPECT_DOUBLE_EQ(curve.points[0].loss, 5);
  EXPECT_DOUBLE_EQ(curve.points[1].loss, 2);  // rank 1 has no sample there
  EXPECT_DOUBLE_EQ(curve.points[0].time_s, 110e-9);
  EXPECT_DOUBLE_EQ(curve.points[1].time_s, 240e-9);
}

TEST(LossCurve, PicksEvenlySpacedStepsWithTheFirstAndTheLast) {
  Stamps begin, end;
  Losses loss;
  for (int64_t i = 0; i < 1001; ++i) begin.push_back(i), end.push_back(i + 1), loss.push_back(static_cast<double>(i));
  const Series series{{0, "step_begin_ns", "ns", begin},
                      {0, "step_end_ns", "ns", end},
                      {0, "loss", "nat", loss},
                      {0, "loss_weight", "", Losses(1001, 1)}};
  const LossCurve curve = loss_curve({}, series, 11);
  ASSERT_EQ(curve.points.size(), 11U);
  EXPECT_EQ(curve.steps, 1001);
  for (int64_t i = 0; i < 11; ++i) EXPECT_EQ(curve.points[static_cast<size_t>(i)].step, i * 100);
}

TEST(LossCurve, HasNoPointsWhereASeriesIsMissingOrOfAnotherLength) {
  const Series no_loss{{0, "step_begin_ns", "ns", Stamps{0}}, {0, "step_end_ns", "ns", Stamps{1}}};
  EXPECT_TRUE(loss_curve({}, no_loss).points.empty());
  Series short_loss = no_loss;
  short_loss[0].values = Stamps{0, 1}, short_loss[1].values = Stamps{1, 2};
  short_loss.push_back({0, "loss", "nat", Losses{1}});
  short_loss.push_back({0, "loss_weight", "", Losses{1}});
  EXPECT_TRUE(loss_curve({}, short_loss).points.empty());
  EXPECT_TRUE(loss_curve({}, {}).points.empty());
}

}  // namespace
}  // namespace lockstep::snapshot::loss_curve_test
