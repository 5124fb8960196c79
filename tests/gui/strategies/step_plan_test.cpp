#include "gui/core/pages/step_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QJsonArray>

#include "gui/core/pages/strategies.h"
#include "gui/core/text.h"
#include "tests/gui/fixture.h"
#include "tests/gui/strategies/strategies_fixture.h"

namespace lockstep::gui {
namespace {

using snapshot::testing::Campaign;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace testing;

ShownStrategy shown(Campaign& campaign, const std::string& strategy) {
  ViewState view = strategies_view();
  choose_strategy(view, strategy);
  return load_shown_strategy(campaign.store, view);
}

double number_of(const report::Table& table, size_t row, const std::string& column) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key == column) return table.rows[row].values[i].estimate.value;
  }
  ADD_FAILURE() << "no column " << column;
  return -1;
}

class StepPlanOf : public ::testing::TestWithParam<const char*> {};

TEST_P(StepPlanOf, EveryNumberIsThatOfLockstepPlan) {
  Campaign campaign;
  fill(campaign, true);
  const ShownStrategy strategy = shown(campaign, GetParam());
  ASSERT_TRUE(strategy.plan.has_value()) << strategy.no_plan << strategy.refused;
  const QJsonObject wanted = fixture::lockstep_json({"plan", qt(kWorkload), GetParam()}, campaign.folder.file());
  EXPECT_EQ(strategy.strategy, utf8(wanted["strategy"].toString()));
  const QJsonArray places = wanted["places"].toArray(), lines = wanted["collectives"].toArray();
  const report::Table &sent = strategy.plan->sent, &memory = strategy.plan->memory;
  ASSERT_EQ(memory.rows.size(), static_cast<size_t>(places.size()));
  for (qsizetype p = 0; p < places.size(); ++p) {
    const auto place = static_cast<size_t>(p);
    const QJsonObject bytes = places[p].toObject()["peak_memory_bytes"].toObject();
    for (const char* category : {"parameters", "gradients", "optimizer", "activations", "comm", "total"}) {
      EXPECT_EQ(number_of(memory, place, std::string(category) + "_bytes"), bytes[category].toDouble()) << category;
    }
    EXPECT_EQ(number_of(memory, place, "in_flight"), places[p].toObject()["in_flight"].toDouble());
    const QJsonValue versions = places[p].toObject()["weight_versions"];
    if (std::string(GetParam()).find("pipedream") == std::string::npos) continue;
    EXPECT_EQ(number_of(memory, place, "stashed_bytes"), bytes["stashed"].toDouble());
    EXPECT_EQ(number_of(memory, place, "weight_versions"), versions.toDouble());
  }
  ASSERT_EQ(sent.rows.size(), static_cast<size_t>(lines.isEmpty() ? 0 : lines.size() + 1)) << "and the total";
  for (qsizetype i = 0; i < lines.size(); ++i) {
    const QJsonObject line = lines[i].toObject();
    const auto row = static_cast<size_t>(i);
    EXPECT_EQ(sent.rows[row].values[0].text, utf8(line["operation"].toString()));
    EXPECT_EQ(sent.rows[row].values[2].text, utf8(line["axis"].toString()));
    EXPECT_EQ(sent.rows[row].values[3].text, utf8(line["why"].toString()));
    const QJsonArray of_places = line["places"].toArray();
    for (qsizetype p = 0; p < of_places.size(); ++p) {
      const std::string column = fmt::format("sent_bytes_{}", p);
      EXPECT_EQ(number_of(sent, row, column), of_places[p].toObject()["sent_bytes"].toDouble());
      EXPECT_EQ(number_of(sent, sent.rows.size() - 1, column), places[p].toObject()["sent_bytes"].toDouble());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, StepPlanOf,
                         ::testing::Values("serial", "dp2", "pp2.dp2.tp2/1f1b:m=4/zero1", "pp2/interleaved:m=4,v=2",
                                           "pp2/pipedream:m=2,weights=stash", "dp4/hsdp:group=2"));

TEST(ShownStrategies, ComeFromWhatIsTypedElseFromTheChosenCellElseFromTheFirstPipeline) {
  Campaign campaign;
  fill(campaign, true);
  ViewState view = strategies_view();
  EXPECT_EQ(load_shown_strategy(campaign.store, view).strategy, "pp2.dp2/1f1b:m=4/zero1");
  view.cell = kWorkload + " pytorch dp2 on gloo";
  EXPECT_EQ(load_shown_strategy(campaign.store, view).strategy, "dp2");
  choose_strategy(view, "pp4/gpipe:m=4");
  EXPECT_EQ(load_shown_strategy(campaign.store, view).strategy, "pp4/gpipe:m=4");
  view.cell = kWorkload + " reference serial";  // chosen on another page
  EXPECT_EQ(load_shown_strategy(campaign.store, view).strategy, "serial");
  choose_strategy(view, "tp2");
  choose_strategy(view, "");
  EXPECT_EQ(load_shown_strategy(campaign.store, view).strategy, "serial");
}

TEST(ShownStrategies, ATermLeadsToItsFastestCellElseToAnExample) {
  Campaign campaign;
  fill(campaign, true);
  const Strategies strategies = load_strategies(campaign.store, strategies_view());
  ViewState view = strategies_view();
  choose_term(view, strategies, kWorkload, "/1f1b");
  EXPECT_EQ(load_shown_strategy(campaign.store, view).strategy, "pp2.dp2/1f1b:m=4/zero1");
  choose_term(view, strategies, kWorkload, "/gpipe");
  EXPECT_EQ(load_shown_strategy(campaign.store, view).strategy, "pp4/gpipe:m=8");
}

TEST(ShownStrategies, WhatIsWrongIsSaidInTheWordsOfTheParserAndTheTable) {
  Campaign campaign;
  fill(campaign, true);
  const ShownStrategy misspelt = shown(campaign, "pp2/1f1c:m=4");
  EXPECT_THAT(misspelt.refused, HasSubstr("column 5"));
  EXPECT_THAT(misspelt.refused, HasSubstr("1f1b"));
  EXPECT_FALSE(misspelt.schedule || misspelt.plan);
  EXPECT_THAT(shown(campaign, "pp2/1f1b").refused, HasSubstr("1f1b lacks m: a whole number from 1 to 65536"));
  const ShownStrategy lacking = shown(campaign, "pp4.dp2/1f1b:m=8+ssp:s=3");
  EXPECT_THAT(lacking.warning, StartsWith("ssp:s=3: unsupported, because this version lacks parameter servers"));
  EXPECT_TRUE(lacking.schedule.has_value()) << "its picture is known all the same";
  EXPECT_FALSE(lacking.plan.has_value());
  EXPECT_THAT(shown(campaign, "pp4/interleaved:m=6,v=2").no_schedule, HasSubstr("the nearest legal one is m=8"));
  EXPECT_THAT(shown(campaign, "dp2").no_schedule, StartsWith("dp2 has no pipeline axis"));
  EXPECT_THAT(shown(campaign, "pp64/1f1b:m=4").no_plan, HasSubstr("at most"));
}

TEST(ShownStrategies, WhatWouldTakeHoursIsRefusedAndManyRanksAreCut) {
  Campaign campaign;
  fill(campaign, true);
  const ShownStrategy large = shown(campaign, "pp1024/1f1b:m=65536");
  EXPECT_THAT(large.no_schedule, HasSubstr("134217728 forward and backward passes"));
  EXPECT_FALSE(large.schedule || large.plan);
  const ShownStrategy wide = shown(campaign, "dp4096");
  ASSERT_TRUE(wide.plan.has_value()) << wide.no_plan;
  for (const std::string& line : wide.plan->lines) EXPECT_LE(line.size(), 400U);
}

TEST(ShownStrategies, AnEmptyStoreStillShowsASchedule) {
  const store::testing::Folder folder;
  store::Store store = store::Store::open(folder.file(), store::OpenMode::create);
  const ShownStrategy example = load_shown_strategy(store, strategies_view());
  EXPECT_EQ(example.strategy, "pp4/1f1b:m=8");
  EXPECT_TRUE(example.schedule.has_value());
  EXPECT_THAT(example.no_plan, HasSubstr("no workload yet"));
}

TEST(ShownStrategies, ACommandHasNoPlan) {
  Campaign campaign;
  campaign.finished(store::testing::cell("sleep", "exec", "A", "", 1), 0, 5);
  const ShownStrategy example = load_shown_strategy(campaign.store, strategies_view());
  EXPECT_FALSE(example.plan.has_value());
  EXPECT_EQ(example.workload, "");
}

TEST(ShownStrategies, AWorkloadThatCannotBeReadIsSaid) {
  Campaign campaign;
  campaign.finished(store::testing::cell("old:tiny", "reference", "dp2", "threads", 2), 0, 5);
  const ShownStrategy old = load_shown_strategy(campaign.store, strategies_view());
  EXPECT_THAT(old.no_plan, HasSubstr("old:tiny"));
}

TEST(OpenLaunches, NamesAnAxisByItsOnlySize) {
  Campaign campaign;
  fill(campaign, true);
  const Strategies strategies = load_strategies(campaign.store, strategies_view());
  ViewState view = strategies_view();
  open_launches(view, strategies, "/zero1");
  EXPECT_EQ(view.page, "launches");
  EXPECT_EQ(view.filter, "strategy:/zero1");
  open_launches(view, strategies, "pp");
  EXPECT_EQ(view.filter, "strategy:pp2");
  open_launches(view, strategies, "h");
  EXPECT_EQ(view.filter, "strategy:h");
}

}  // namespace
}  // namespace lockstep::gui
