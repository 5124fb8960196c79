#include "gui/core/pages/terms_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QJsonArray>

#include "gui/core/pages/strategies.h"
#include "gui/core/table_model.h"
#include "gui/core/text.h"
#include "reference_trainer/plan/terms/terms_of.h"
#include "tests/gui/fixture.h"
#include "tests/gui/strategies/strategies_fixture.h"

namespace lockstep::gui {
namespace {

using snapshot::testing::Campaign;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace testing;

constexpr const char* kRate = "reference_throughput_samples_per_s";

report::Table table_of(const Strategies& strategies) { return strategies.workloads.at(0).terms; }

TEST(TermsTable, SaysWhatLockstepStrategiesSays) {
  Campaign campaign;
  const report::Table table = load_strategies(campaign.store, strategies_view()).terms;
  const QJsonArray terms = fixture::lockstep_json({"strategies"}, campaign.folder.file())["terms"].toArray();
  ASSERT_EQ(table.rows.size(), static_cast<size_t>(terms.size()));
  for (qsizetype i = 0; i < terms.size(); ++i) {
    const QJsonObject wanted = terms[i].toObject();
    const std::string term = utf8(wanted["term"].toString());
    EXPECT_EQ(table.rows[static_cast<size_t>(i)].cell, term);
    for (const char* column : {"kind", "meaning", "parameters", "needs", "conflicts", "conflict_reason", "where"}) {
      EXPECT_EQ(value_of(table, term, column), utf8(wanted[column].toString())) << term << " " << column;
    }
    const std::string answer =
        wanted["supported"].toBool() ? "works" : "unsupported, because " + utf8(wanted["because"].toString());
    EXPECT_EQ(value_of(table, term, "reference_answer"), answer) << term;
  }
}

TEST(TermsTable, TheBestCellIsTheFastestWithTheTermAndNeverOnFabricNull) {
  Campaign campaign;
  fill(campaign, true);
  const Strategies strategies = load_strategies(campaign.store, strategies_view());
  const report::Table table = table_of(strategies);
  EXPECT_EQ(value_of(table, "dp", "reference_best"), "dp2 on threads");
  EXPECT_EQ(value_of(table, "/zero1", "reference_best"), "pp2.dp2/1f1b:m=4/zero1 on threads");
  EXPECT_EQ(value_of(table, "cp", kRate), "no cell");
  EXPECT_EQ(value_of(table, "tp", kRate), "failed");
  const snapshot::WorkloadGroup& group = strategies.workloads[0].group;
  const auto dp2 = std::find_if(group.cells.begin(), group.cells.end(), [](const snapshot::CellSnapshot& cell) {
    return cell.cell.text == kWorkload + " reference dp2 on threads";
  });
  ASSERT_NE(dp2, group.cells.end());
  const stats::Estimate seen = entry_of(table, "dp", kRate).estimate;
  EXPECT_EQ(seen.value, dp2->throughput.value);
  EXPECT_EQ(seen.low, dp2->throughput.low);
  EXPECT_EQ(seen.high, dp2->throughput.high);
  EXPECT_GT(seen.level, 0.9);
}

TEST(TermsTable, ProofsAreOfTheWholeStore) {
  Campaign campaign;
  fill(campaign, true);
  const report::Table table = load_strategies(campaign.store, strategies_view()).terms;
  EXPECT_EQ(value_of(table, "dp", "reference_proof"), "FAILED in 1 of 2 cells");
  EXPECT_EQ(value_of(table, "/1f1b", "reference_proof"), "FAILED in 1 of 1 cells");
  EXPECT_EQ(value_of(table, "cp", "reference_proof"), "no proof");
}

TEST(TermsTable, OtherSystemsAnswerByTheirClaims) {
  Campaign campaign;
  fill(campaign, true);
  const report::Table table = load_strategies(campaign.store, strategies_view()).terms;
  EXPECT_EQ(value_of(table, "dp", "pytorch_answer"), "works: DDP");
  EXPECT_EQ(value_of(table, "/zero1", "pytorch_answer"), "unsupported, because pytorch does not claim it");
}

TEST(TermsTable, WithoutClaimsLaunchesTell) {
  Campaign campaign;
  fill(campaign, false);
  const report::Table table = load_strategies(campaign.store, strategies_view()).terms;
  EXPECT_EQ(value_of(table, "dp", "pytorch_answer"), "ran");
  EXPECT_THAT(value_of(table, "tp", "pytorch_answer"), StartsWith("unsupported, because pytorch does not claim it"));
  EXPECT_EQ(value_of(table, "/zero1", "pytorch_answer"), "not known");
}

TEST(TermsTable, CellsOfATermAreFastestFirst) {
  Campaign campaign;
  fill(campaign, true);
  const Strategies strategies = load_strategies(campaign.store, strategies_view());
  std::vector<std::string> cells;
  for (const report::Row& row : term_results(strategies.workloads[0].group, "dp", {}, 1).rows)
    cells.push_back(row.cell);
  EXPECT_THAT(cells, ElementsAre(kWorkload + " reference dp2 on threads",
                                 kWorkload + " reference pp2.dp2/1f1b:m=4/zero1 on threads",
                                 kWorkload + " pytorch dp2 on gloo"));
}

TEST(TermsTable, AFilterHidesCellsAndChangesNoNumber) {
  Campaign campaign;
  fill(campaign, true);
  ViewState view = strategies_view();
  view.filter = "-strategy=dp2";
  const Strategies strategies = load_strategies(campaign.store, view);
  EXPECT_EQ(value_of(table_of(strategies), "dp", "reference_best"), "dp2 on threads");
  const report::Table cells = term_results(strategies.workloads[0].group, "dp", strategies.filter, 1);
  ASSERT_EQ(cells.rows.size(), 1U);
  EXPECT_EQ(cells.rows[0].cell, kWorkload + " reference pp2.dp2/1f1b:m=4/zero1 on threads");
}

TEST(TermsTable, FactsNameTheReasonOfAFailedProof) {
  Campaign campaign;
  fill(campaign, true);
  const Strategies strategies = load_strategies(campaign.store, strategies_view());
  std::string text;
  for (const report::Fact& fact : term_facts(*terms::row_written("/1f1b"), strategies.systems)) {
    text += fact.name + ": " + fact.text + "\n";
  }
  EXPECT_THAT(text, HasSubstr("meaning: one forward, one backward, with a flush\n"));
  EXPECT_THAT(text, HasSubstr("needs 2 ranks of: pp\n"));
  EXPECT_THAT(text, HasSubstr("loss of step 3: 2.5 against 2.25"));
}

TEST(TermsTable, AStoreWithFailedLaunchesOnlyHasWordsInPlaceOfNumbers) {
  Campaign campaign;
  store::LaunchRecord record = campaign.record(planned_cell("reference", "dp2", "threads", 2), 0, 5);
  record.launch.status = store::LaunchStatus::failed, record.launch.error_kind = "setup";
  record.series.clear();
  campaign.store.import_launch(record);
  const report::Table table = table_of(load_strategies(campaign.store, strategies_view()));
  EXPECT_EQ(value_of(table, "dp", kRate), "failed");
  EXPECT_EQ(value_of(table, "dp", "reference_best"), "");
  EXPECT_EQ(value_of(table, "dp", "reference_answer"), "works");
}

TEST(TermsTable, FitsTheModelBeforeAndAfterChanges) {
  Campaign campaign;
  TableModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.set_table(load_strategies(campaign.store, strategies_view()).terms);
  fill(campaign, true);
  model.set_table(table_of(load_strategies(campaign.store, strategies_view())));
  model.sort(3, Qt::DescendingOrder);
  EXPECT_EQ(model.shown().rows[0].values[4].text, "dp2 on threads");
}

}  // namespace
}  // namespace lockstep::gui
