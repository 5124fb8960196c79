#include "results/report/pivot.h"

#include <gmock/gmock.h>

#include "adapters/contract/failure.h"
#include "results/report/formats.h"
#include "results/report/render.h"
#include "results/snapshot/selector.h"
#include "tests/harness/report_fixture.h"

namespace lockstep::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Table> pivot_of(const PivotRequest& request, const std::string& filter = "system:reference,workload:w") {
  const lockstep::testing::Lab lab;
  store::Store store = store::Store::open(lab.store_file.string(), store::OpenMode::create);
  const auto campaign = testing::awkward_campaign(store);
  return pivot(snapshot::load(store, campaign, snapshot::parse_filter(filter)), request);
}

std::vector<std::string> texts_of(const Row& row) {
  std::vector<std::string> out;
  for (const Value& value : row.values) out.push_back(value.missing.empty() ? value.text : "- " + value.missing);
  return out;
}

TEST(Pivot, CellsThatShareAPlaceAreToldApartAndNeverAveraged) {
  const std::vector<Table> tables = pivot_of({"strategy", "ranks", "", "time"});
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].title, "time a step: w:tiny reference");
  ASSERT_EQ(tables[0].rows.size(), 3U);
  EXPECT_THAT(texts_of(tables[0].rows[0]), ElementsAre("serial", HasSubstr("3.1"), "- no such cell"));
  EXPECT_EQ(tables[0].rows[1].values[0].text, "dp2 on threads");
  EXPECT_EQ(tables[0].rows[2].values[0].text, "dp2 on null");
  EXPECT_EQ(tables[0].columns[2].key, "ranks=2:step_s");
}

TEST(Pivot, WithABaseEntriesAreRatiosToTheCellThatAgreesInTheRest) {
  const std::vector<Table> tables = pivot_of({"strategy", "ranks", "serial", "time"});
  const stats::Estimate& ratio = tables.at(0).rows.at(1).values.at(2).estimate;
  EXPECT_NEAR(ratio.value, 4.12 / 3.12, 0.01);  // steps of 4.1 and 3.1 ms, plus at most 0.052
  EXPECT_GT(ratio.level, 0.95);
  EXPECT_EQ(tables[0].rows[0].values[1].text, "base");
  EXPECT_EQ(tables[0].columns[2].quantity, Quantity::ratio);
  EXPECT_THAT(tables[0].columns[2].base, HasSubstr("serial"));
}

TEST(Pivot, RatiosThatCannotBeSayWhy) {
  const std::vector<Table> tables = pivot_of({"fabric", "strategy", "gloo", "throughput"}, "ranks:2");
  EXPECT_THAT(texts_of(tables.at(0).rows.at(0)), ElementsAre("threads", "- no gloo to compare with"));
  EXPECT_THAT(texts_of(tables.at(1).rows.at(0)), ElementsAre("gloo", "- no finished launch"));
}

TEST(Pivot, WordsThatAreNotThereAreRefusedWithThoseThatAre) {
  const auto complaint = [](const PivotRequest& request) {
    try {
      pivot_of(request);
    } catch (const Failure& failure) {
      return std::string(failure.what());
    }
    return std::string();
  };
  EXPECT_THAT(complaint({"rank", "ranks", "", "time"}), HasSubstr("one of workload, preset, system"));
  EXPECT_THAT(complaint({"strategy", "ranks", "", "speed"}), HasSubstr("one of time, throughput"));
  EXPECT_THAT(complaint({"strategy", "ranks", "dp8", "time"}), HasSubstr("one of 1, 2, dp2, serial"));
  EXPECT_THAT(complaint({"strategy", "ranks", "serial", "efficiency"}), HasSubstr("its own base"));
}

TEST(Pivot, OnOneCsvTableStandAllTablesWithTheirTitle) {
  const std::string text = csv(joined(pivot_of({"strategy", "ranks", "", "peak_memory"}, "system:reference")));
  EXPECT_THAT(text, HasSubstr("table,strategy,ranks=1:peak_memory_bytes,ranks=1:peak_memory_bytes_low"));
  EXPECT_THAT(text, HasSubstr("peak memory: w:tiny reference,serial,52500000,50000000,55000000,0.96875,6"));
}

TEST(Pivot, TerminalTablesSayWhatIsMissing) {
  EXPECT_THAT(terminal(pivot_of({"strategy", "ranks", "", "bytes_sent"})[0]), HasSubstr("(1) no such cell"));
}

TEST(Pivot, NumbersOfACellWhoseProofFailedAreMarkedInEveryFormat) {
  const lockstep::testing::Lab lab;
  store::Store store = store::Store::open(lab.store_file.string(), store::OpenMode::create);
  const auto campaign = testing::awkward_campaign(store);
  store::ProofRow proof;
  proof.cell = "w:tiny reference dp2 on threads", proof.state = store::ProofState::failed, proof.reason = "gradients";
  for (const store::LaunchRow& launch : store.launches({campaign.id, proof.cell, {}, {}})) {
    proof.environment = launch.environment, proof.launch = launch.id;
  }
  store.record_proof(proof);
  const auto snapshot = snapshot::load(store, campaign, snapshot::parse_filter("system:reference,workload:w"));

  const std::vector<Table> plain = pivot(snapshot, {"strategy", "ranks", "", "time"});
  EXPECT_THAT(terminal(plain[0]),
              AllOf(HasSubstr("] (!)"), HasSubstr("(!): equal work FAILED"), HasSubstr("dp2 on threads")));
  EXPECT_THAT(to_json(plain), HasSubstr(R"("equal_work": "FAILED")"));
  EXPECT_THAT(csv(joined(plain)), HasSubstr("ranks=2:step_s: equal work FAILED"));

  const std::vector<Table> ratios = pivot(snapshot, {"fabric", "strategy", "threads", "time"});
  EXPECT_THAT(terminal(ratios[0]), HasSubstr("equal work of the base FAILED"));
}

}  // namespace
}  // namespace lockstep::report
