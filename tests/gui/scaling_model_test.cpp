#include "gui/core/pages/scaling_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/core/pages/scaling.h"
#include "tests/gui/fixture.h"

namespace lockstep::gui {
namespace {

using ::testing::HasSubstr;

TEST(Amdahl, FindsTheFractionThatMadeTheSpeedUps) {
  for (const double serial : {0.0, 0.05, 0.5, 1.0}) {
    std::vector<std::pair<int64_t, double>> speedups;
    for (const int64_t ranks : {2, 4, 8, 64}) {
      speedups.emplace_back(ranks, amdahl_speedup(serial, static_cast<double>(ranks)));
    }
    EXPECT_NEAR(amdahl_fraction(speedups).value(), serial, 1e-12);
  }
  EXPECT_EQ(amdahl_speedup(0.25, 1), 1);
  EXPECT_NEAR(amdahl_speedup(0.25, 1e9), 4, 1e-6);
}

TEST(Amdahl, OfOneRankCountIsKarpAndFlatt) {
  EXPECT_NEAR(amdahl_fraction({{4, 2.7}}).value(), karp_flatt(2.7, 4), 1e-12);
}

TEST(Amdahl, HasNoModelOfMoreThanIdealNorOfNothing) {
  EXPECT_FALSE(amdahl_fraction({}));
  EXPECT_FALSE(amdahl_fraction({{2, 2.2}}));
}

std::vector<ChartSeries> models_of(const Chart& chart) {
  std::vector<ChartSeries> out;
  for (const ChartSeries& series : chart.series) {
    if (series.name.find("by Amdahl") != std::string::npos) out.push_back(series);
  }
  return out;
}

TEST(Amdahl, IsALineThroughTheBaseOnToTwiceTheRanksAndOnlyWhereItIsChosen) {
  store::Store store = store::Store::open(fixture::fixture_store(), store::OpenMode::read_only);
  ViewState view;
  view.campaign = "@1", view.options["scaling.workload"] = "gpt-austen:tiny";
  EXPECT_TRUE(models_of(load_scaling(store, view).speed).empty());
  view.options["scaling.model"] = "amdahl";
  const Scaling scaling = load_scaling(store, view);
  ASSERT_FALSE(models_of(scaling.speed).empty());
  EXPECT_EQ(models_of(scaling.speed).size(), models_of(scaling.efficiency).size());
  for (const ChartSeries& line : models_of(scaling.efficiency)) {
    EXPECT_THAT(line.name, HasSubstr("serial "));
    EXPECT_EQ(line.points.front().x, 1);
    EXPECT_EQ(line.points.front().y, 1);
    EXPECT_GE(line.points.back().x, 4);
    EXPECT_LT(line.points.back().y, line.points[1].y);
  }
}

}  // namespace
}  // namespace lockstep::gui
