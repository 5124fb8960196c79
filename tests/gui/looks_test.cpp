// One colour, mark and dash a cell, on every page.
#include "gui/core/looks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QTest>
#include <set>

#include "gui/core/pages/compare.h"
#include "gui/core/pages/convergence.h"
#include "gui/core/pages/overview.h"
#include "gui/core/pages/scaling.h"
#include "gui/widgets/chart_view.h"
#include "gui/widgets/theme.h"
#include "tests/gui/fixture.h"
#include "tests/results/campaign_fixture.h"

namespace lockstep::gui {
namespace {

ViewState view_of_first() {
  ViewState out;
  out.campaign = "@1", out.options["scaling.workload"] = "gpt-austen:tiny";
  out.options["convergence.workload"] = "gpt-austen:tiny";
  return out;
}

/// The look of each cell that the charts draw.
std::map<std::string, std::set<size_t>> looks_in(const std::vector<Chart>& charts) {
  std::map<std::string, std::set<size_t>> out;
  for (const Chart& chart : charts) {
    for (const ChartSeries& series : chart.series) {
      if (series.draw != Draw::joined && series.key.find(':') != std::string::npos) out[series.key].insert(series.look);
    }
  }
  return out;
}

TEST(Looks, AreTheSameOnEveryPage) {
  store::Store store = store::Store::open(fixture::fixture_store(), store::OpenMode::read_only);
  const ViewState view = view_of_first();
  std::vector<Chart> charts;
  for (const Overview::Workload& workload : load_overview(store, view).workloads) {
    charts.insert(charts.end(), workload.charts.begin(), workload.charts.end());
  }
  const Scaling scaling = load_scaling(store, view);
  charts.insert(charts.end(), {scaling.speed, scaling.efficiency, load_convergence(store, view).chart});
  const auto looks = looks_in(charts);
  const Looks expected(store);
  EXPECT_GE(looks.size(), 14u);
  for (const auto& [cell, its] : looks) EXPECT_THAT(its, testing::ElementsAre(expected.of(cell))) << cell;
  const Comparison compared = load_comparison(store, view);
  ASSERT_EQ(compared.distribution.series.size(), 2u);
  EXPECT_EQ(compared.distribution.series[0].look, expected.of("mlp-fashion:tiny reference serial"));
  EXPECT_EQ(compared.distribution.series[1].look, expected.of("mlp-fashion:tiny pytorch serial"));
}

TEST(Looks, AreOfSystemStrategyAndFabricAndANewCellChangesNoOthers) {
  snapshot::testing::Campaign one;
  const auto run = [&](const char* workload, const char* system, const char* strategy) {
    one.finished(store::testing::cell(workload, system, strategy), 0, 2.0);
  };
  run("z:tiny", "reference", "serial"), run("z:tiny", "pytorch", "serial"), run("z:tiny", "reference", "dp2");
  const Looks before(one.store);
  run("a:tiny", "reference", "dp2"), run("a:tiny", "a_new_system", "serial");
  const Looks after(one.store);
  const auto text = [](const char* workload, const char* system, const char* strategy) {
    return store::testing::cell(workload, system, strategy).text;
  };
  for (const auto& [system, strategy] :
       {std::pair("reference", "serial"), std::pair("pytorch", "serial"), std::pair("reference", "dp2")}) {
    EXPECT_EQ(after.of(text("z:tiny", system, strategy)), before.of(text("z:tiny", system, strategy)));
  }
  EXPECT_EQ(after.of(text("a:tiny", "reference", "dp2")), after.of(text("z:tiny", "reference", "dp2")));
  EXPECT_EQ(after.of(text("a:tiny", "a_new_system", "serial")), 3u);
}

TEST(Looks, GoRoundWithoutTwoThatAreAlike) {
  for (const Theme theme : {Theme::light, Theme::dark}) {
    use_theme(*qApp, theme);
    std::set<std::pair<QRgb, size_t>> marks, dashes;
    for (size_t look = 0; look < kColors * kMarks; ++look) marks.emplace(look_color(look).rgb(), look_mark(look));
    for (size_t look = 0; look < kColors * kDashes; ++look) {
      dashes.emplace(look_color(look).rgb(), static_cast<size_t>(look_dash(look)));
    }
    EXPECT_EQ(marks.size(), kColors * kMarks);
    EXPECT_EQ(dashes.size(), kColors * kDashes);
  }
  use_theme(*qApp, Theme::light);
}

/// The pixels of one mark that are not background, in a square around it.
std::vector<bool> mask_of(size_t look, bool hollow) {
  ChartView view;
  view.resize(400, 300);
  Chart chart;
  chart.x.title = "x", chart.y.title = "y";
  chart.series = {{"s", "s", Draw::marks, look, {{1, 1}}, false, hollow}};
  view.set_chart(chart);
  view.show();
  QTest::qWait(20);
  const QImage image = view.grab().toImage();
  const QPoint middle = view.pixel_of(1, 1).toPoint();
  std::vector<bool> out;
  for (int y = -7; y <= 7; ++y) {
    for (int x = -7; x <= 7; ++x) {
      const QColor at = image.pixelColor(middle + QPoint(x, y)), ground = background_color();
      out.push_back(std::abs(at.lightness() - ground.lightness()) > 60);
    }
  }
  return out;
}

TEST(Looks, EveryMarkAndOutlineLooksUnlikeEveryOther) {
  std::vector<std::vector<bool>> masks;
  for (const bool hollow : {false, true}) {
    for (size_t look = 0; look < kMarks; ++look) masks.push_back(mask_of(look, hollow));
  }
  for (size_t a = 0; a < masks.size(); ++a) {
    EXPECT_GT(std::count(masks[a].begin(), masks[a].end(), true), 15) << "mark " << a << " can be seen";
    for (size_t b = 0; b < a; ++b) {
      int differ = 0;
      for (size_t i = 0; i < masks[a].size(); ++i) differ += masks[a][i] != masks[b][i] ? 1 : 0;
      EXPECT_GE(differ, 8) << a << " and " << b;
    }
  }
}

TEST(Looks, TheSecondOfTwoSidesThatLookAlikeIsDrawnInOutlines) {
  store::Store store = store::Store::open(fixture::fixture_store(), store::OpenMode::read_only);
  ViewState view;
  view.campaign = "@1", view.compare_a = "@1/system:reference", view.compare_b = "@1/system:reference";
  const Comparison compared = load_comparison(store, view);
  ASSERT_EQ(compared.distribution.series.size(), 2u) << compared.words;
  EXPECT_EQ(compared.distribution.series[0].look, compared.distribution.series[1].look);
  EXPECT_FALSE(compared.distribution.series[0].hollow);
  EXPECT_TRUE(compared.distribution.series[1].hollow);
}

}  // namespace
}  // namespace lockstep::gui
