// A pinned base reaches the scaling page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/core/pages/scaling.h"
#include "gui/widgets/chart_view.h"
#include "results/snapshot/pairing.h"
#include "tests/gui/fixture.h"

namespace lockstep::gui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPinned = "gpt-austen:tiny reference dp2 on threads";

ViewState pinned(const std::string& base) {
  ViewState out;
  out.campaign = "@1", out.options["scaling.workload"] = "gpt-austen:tiny", out.base = base;
  return out;
}

Scaling scaling_of(const ViewState& view) {
  store::Store store = store::Store::open(fixture::fixture_store(), store::OpenMode::read_only);
  return load_scaling(store, view);
}

std::vector<ChartSeries> guides_of(const Chart& chart) {
  std::vector<ChartSeries> out;
  for (const ChartSeries& series : chart.series) {
    if (series.draw == Draw::guide) out.push_back(series);
  }
  return out;
}

const ChartPoint& dot_of(const Chart& chart, const std::string& cell) {
  for (const ChartSeries& series : chart.series) {
    if (series.key == cell && series.draw == Draw::dots && !series.hollow) return series.points.front();
  }
  throw Failure("usage", "no dot of " + cell);
}

TEST(ScalingBase, TheIdealLineGoesThroughThePinnedCell) {
  const Scaling scaling = scaling_of(pinned(kPinned));
  EXPECT_EQ(scaling.words, "");
  EXPECT_THAT(scaling.scaling, HasSubstr("Base: reference dp2 on threads (pinned)"));
  const std::vector<ChartSeries> ideal = guides_of(scaling.speed);
  ASSERT_EQ(ideal.size(), 1u);
  EXPECT_EQ(ideal[0].name, "ideal from reference dp2 on threads");
  ASSERT_EQ(ideal[0].points.size(), 3u) << "1, 2 and 4 ranks";
  const double at = dot_of(scaling.speed, kPinned).y;
  EXPECT_DOUBLE_EQ(ideal[0].points[1].y, at);
  EXPECT_DOUBLE_EQ(ideal[0].points[0].y, at / 2);
  EXPECT_DOUBLE_EQ(ideal[0].points[2].y, at * 2);
}

TEST(ScalingBase, EfficiencyIsAgainstThePinnedCellWithItsInterval) {
  const Scaling scaling = scaling_of(pinned(kPinned));
  EXPECT_EQ(dot_of(scaling.efficiency, kPinned).y, 1);
  const std::string serial = "gpt-austen:tiny reference serial", pytorch = "gpt-austen:tiny pytorch dp2 on gloo";
  store::Store store = store::Store::open(fixture::fixture_store(), store::OpenMode::read_only);
  const snapshot::CampaignSnapshot snapshot = snapshot::load(store, *store.campaign(1));
  std::map<std::string, const snapshot::CellSnapshot*> cells;
  for (const snapshot::WorkloadGroup& group : snapshot.groups) {
    for (const snapshot::CellSnapshot& cell : group.cells) cells[cell.cell.text] = &cell;
  }
  for (const auto& [cell, share] : {std::pair(serial, 2.0), std::pair(pytorch, 1.0)}) {
    const stats::Estimate ratio = snapshot::ratio_of(
        snapshot::samples(*cells[cell], *cells[kPinned], &snapshot::LaunchFigures::samples_per_s), 0.95);
    const ChartPoint& dot = dot_of(scaling.efficiency, cell);
    EXPECT_DOUBLE_EQ(dot.y, ratio.value * share) << cell;
    EXPECT_DOUBLE_EQ(dot.low, ratio.low * share) << cell;
    EXPECT_DOUBLE_EQ(dot.high, ratio.high * share) << cell;
  }
  EXPECT_EQ(scaling.table.columns.back().key, "efficiency_base");
  EXPECT_EQ(scaling.table.columns.back().base, kPinned);
}

TEST(ScalingBase, WithoutOneEachSystemHasItsOwn) {
  const Scaling scaling = scaling_of(pinned(""));
  std::vector<std::string> names;
  for (const ChartSeries& line : guides_of(scaling.speed)) names.push_back(line.name);
  EXPECT_THAT(names, ElementsAre("ideal from reference serial", "ideal from pytorch serial"));
  EXPECT_NE(scaling.table.columns.back().key, "efficiency_base");
}

TEST(ScalingBase, OneThatIsNotHereIsSaid) {
  const Scaling scaling = scaling_of(pinned("mlp-fashion:tiny reference serial"));
  EXPECT_THAT(scaling.words, HasSubstr("not of this workload"));
  EXPECT_THAT(scaling.words, HasSubstr("mlp-fashion:tiny reference serial"));
  EXPECT_EQ(guides_of(scaling.speed).size(), 2u);
}

TEST(ScalingBase, PinningOneShowsItAtOnceAndAFilterDoesNotTakeItAway) {
  fixture::Shown shown("scaling", fixture::fixture_store(), pinned(""));
  const auto charts = shown.page->findChildren<ChartView*>();
  shown.session.change([](ViewState& view) { view.base = kPinned; });
  ASSERT_TRUE(shown.wait());
  EXPECT_EQ(guides_of(charts[0]->chart()).size(), 1u);
  const double before = dot_of(charts[1]->chart(), "gpt-austen:tiny reference serial").y;
  shown.session.change([](ViewState& view) { view.filter = "strategy=serial system:reference"; });
  ASSERT_TRUE(shown.wait());
  shown.session.change([](ViewState& view) { view.filter = "-strategy=dp2"; });
  ASSERT_TRUE(shown.wait());
  EXPECT_EQ(dot_of(charts[1]->chart(), "gpt-austen:tiny reference serial").y, before);
}

}  // namespace
}  // namespace lockstep::gui
