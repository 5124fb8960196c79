// What each page's model holds of the fixture store, as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QStandardItemModel>

#include "gui/core/pages/compare.h"
#include "gui/core/pages/convergence.h"
#include "gui/core/pages/launches.h"
#include "gui/core/pages/overview.h"
#include "gui/core/pages/scaling.h"
#include "gui/core/pages/strategies.h"
#include "gui/core/timeline/comm_matrix.h"
#include "gui/core/timeline/diff.h"
#include "gui/core/timeline/flows.h"
#include "gui/core/timeline/load.h"
#include "gui/core/timeline/totals.h"
#include "tests/gui/fixture.h"
#include "tests/gui/golden_text.h"

namespace lockstep::gui::golden {
namespace {

using fixture::fixture_store;

ViewState view_of(std::map<std::string, std::string> options = {}) {
  ViewState out;
  out.campaign = "@1", out.options = std::move(options);
  return out;
}

class Golden : public ::testing::Test {
 protected:
  store::Store store = store::Store::open(fixture_store(), store::OpenMode::read_only);
};

TEST(GoldenText, IndentsWhatIsBelowARow) {
  QStandardItemModel model;
  model.setHorizontalHeaderLabels({"name", "value"});
  auto* group = new QStandardItem("group");
  group->appendRow({new QStandardItem("one"), new QStandardItem("1\n2")});
  model.appendRow({group, new QStandardItem("")});
  EXPECT_EQ(text_of(model), "name | value\ngroup | \n  one | 1 2\n");
}

TEST(GoldenText, TellsWhichLinesDiffer) {
  EXPECT_EQ(difference("a\nb\nc\n", "a\nb\nc\n"), "");
  EXPECT_EQ(difference("a\nb\nc\n", "a\nx\nc\nd\n"), "-    2 b\n+    2 x\n+    4 d\n");
  EXPECT_NE(difference("", "a\n"), "");
}

TEST(GoldenText, ANumberOfALongCurveIsNotLost) {
  Chart chart;
  chart.series.push_back({"loss", "", Draw::line, 0, std::vector<ChartPoint>(100, ChartPoint{1, 2})});
  const std::string before = text_of(chart);
  chart.series[0].points[50].y = 2.001;
  EXPECT_NE(difference(before, text_of(chart)), "");
}

TEST_F(Golden, Overview) {
  const Breakdowns known = read_breakdowns(store, load_overview(store, view_of()).unread);
  EXPECT_FALSE(known.empty());
  const gui::Overview page = load_overview(store, view_of(), known);
  EXPECT_TRUE(page.unread.empty());
  std::string findings;
  for (const auto& finding : page.findings) {
    for (const Said& said : finding)
      findings +=
          said.compare_a.empty() ? said.text : fmt::format("[{}]({} | {})", said.text, said.compare_a, said.compare_b);
    findings += "\n";
  }
  std::string text = page.title + "\n" + page.counts + "\n\n" + findings + "\n" + text_of(page.setup) + "\n";
  for (const gui::Overview::Workload& workload : page.workloads) {
    text += workload.title + "\n" + text_of(workload.missing) + "\n";
    for (const Chart& chart : workload.charts) text += text_of(chart);
    text += text_of(workload.table);
  }
  expect_golden("overview", text + text_of(page.comparisons));
}

TEST_F(Golden, Launches) {
  ViewState view = view_of();
  view.filter = "system:pytorch mode:time";
  const gui::Launches page = load_launches(store, view, Reading::all_rows);
  expect_golden("launches", text_of(to_table(*page.shown)) + text_of(launch_facts(store, "@1.14")));
}

TEST_F(Golden, Cells) {
  ViewState view = view_of({{"launches.group", "cell"}, {"launches.columns", "all"}});
  view.base = "gpt-austen:tiny reference serial";
  expect_golden("cells", text_of(to_table(*load_launches(store, view, Reading::all_rows).shown)));
}

TEST_F(Golden, Compare) {
  const Comparison page = load_comparison(store, view_of());
  expect_golden("compare", page.a + " " + page.b + "\n" + page.verdict + "\n" + text_of(page.head) +
                               text_of(page.foot) + "\n" + text_of(page.verdicts) + text_of(page.environments) +
                               page.chosen + "\n" + text_of(page.launches) + text_of(page.distribution));
}

TEST_F(Golden, Scaling) {
  const gui::Scaling page = load_scaling(store, view_of({{"scaling.workload", "gpt-austen:tiny"}}));
  expect_golden("scaling", page.workload + "\n" + page.scaling + "\n" + page.words + "\n" + text_of(page.speed) +
                               text_of(page.efficiency) + text_of(page.table));
}

TEST_F(Golden, StatisticalEfficiency) {
  ViewState view;
  view.campaign = "@2";
  const Convergence page = load_convergence(store, view);
  expect_golden("convergence", page.workload + " " + page.metric + "\n" + page.target + "\n" + page.words + "\n" +
                                   text_of(page.chart) + text_of(page.times));
}

TEST_F(Golden, Terms) {
  const gui::Strategies page = load_strategies(store, view_of());
  ASSERT_NE(page.find("gpt-austen:tiny"), nullptr);
  expect_golden("terms", text_of(page.find("gpt-austen:tiny")->terms));
}

TEST_F(Golden, Strategy) {
  const ShownStrategy page = load_shown_strategy(
      store, view_of({{"strategies.strategy", "pp2.dp2/1f1b:m=4"}, {"strategies.workload", "gpt-austen:tiny"}}));
  ASSERT_TRUE(page.schedule && page.plan) << page.no_schedule << page.no_plan;
  expect_golden("strategy", page.strategy + " " + page.workload + "\n" + page.origin + "\n" + page.warning + "\n" +
                                page.schedule->title + "\n" + text_of(page.schedule->words) +
                                text_of(page.schedule->table) + text_of(page.plan->lines) + text_of(page.plan->sent) +
                                text_of(page.plan->memory) + text_of(page.plan->words));
}

std::string recorded(const timeline::Loaded& page, const std::string& cell) {
  for (const timeline::Recorded& one : page.recorded) {
    if (one.cell == cell) return one.selector;
  }
  return "";
}

TEST_F(Golden, Timeline) {
  ViewState view = view_of();
  const timeline::Loaded all = timeline::load(store, view);
  view.launch = recorded(all, "gpt-austen:tiny reference pp2/1f1b:m=4 on threads");
  view.options[timeline::kOtherOption] = recorded(all, "gpt-austen:tiny reference dp4 on threads");
  const timeline::Loaded page = timeline::load(store, view);
  ASSERT_TRUE(page.first && page.other) << page.missing;
  timeline::Area area = timeline::everything(page.first->timeline.columns);
  area.time = page.first->opening;
  std::string text;
  for (const timeline::Recorded& one : page.recorded) text += one.selector + " " + one.cell + "\n";
  text += "\n" + page.first->title() + "\n" + text_of(page.first->notes) + "\n" +
          text_of(timeline::totals_table(page.first->timeline.columns, area)) +
          text_of(timeline::diff({page.first->timeline.columns, page.first->title()},
                                 {page.other->timeline.columns, page.other->title()}));
  expect_golden("timeline", text);
}

TEST_F(Golden, Messages) {
  ViewState view;
  view.campaign = "@4";
  const timeline::Loaded all = timeline::load(store, view);
  std::string text;
  for (const char* cell : {"gpt-austen:tiny,steps=30 reference pp2.dp2/1f1b:m=4 on threads",
                           "gpt-austen:tiny,steps=30 reference dp4@ring on threads"}) {
    view.launch = recorded(all, cell);
    const timeline::Loaded page = timeline::load(store, view);
    ASSERT_TRUE(page.first) << page.missing;
    const timeline::Timeline& timeline = page.first->timeline;
    const auto alone = std::count(timeline.partners.begin(), timeline.partners.end(), timeline::kNoPartner);
    text += fmt::format("{}\n{} transfers, {} without the other end\n", page.first->title(), timeline.partners.size(),
                        alone);
    for (const activity::Origin origin : {activity::Origin::measured, activity::Origin::planned}) {
      const timeline::CommMatrix matrix =
          timeline::comm_matrix(timeline.columns, timeline::everything(timeline.columns), origin);
      text += text_of(timeline::matrix_table(matrix));
    }
  }
  expect_golden("messages", text);
}

}  // namespace
}  // namespace lockstep::gui::golden
