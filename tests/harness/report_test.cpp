#include "results/report/render.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "results/report/build.h"
#include "results/report/figures.h"
#include "results/report/header.h"
#include "results/report/sentences.h"
#include "tests/harness/lab.h"

namespace lockstep::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Figures, NumbersHaveThreeDigitsAndIntervalsThoseOfTheirValue) {
  EXPECT_EQ(number(48.83), "48.8");
  EXPECT_EQ(number(0.6719), "0.672");
  EXPECT_EQ(number(1240.4), "1240");
  EXPECT_EQ(number(0), "0");
  EXPECT_EQ(number(std::nan("")), "-");
  EXPECT_EQ(with_interval({48830, 48100, 49300, 0.96875, 6}, 1000), "48.8 [48.1, 49.3]");
  EXPECT_EQ(with_interval({48830, 0, 0, 0, 1}, 1000), "48.8");
  EXPECT_EQ(with_interval({}), "-");
  EXPECT_EQ(percent(0.96875), "96.9 %");
}

TEST(Figures, ColumnsLineUpAndLongTextWraps) {
  Columns columns;
  columns.add({"a", "bb", "1"});
  columns.add({"long", "b", "100"});
  EXPECT_EQ(columns.text(2), "a     bb    1\nlong  b   100\n");
  EXPECT_EQ(cut("abcdefgh", 6), "abc...");
  EXPECT_EQ(wrap("aaaa bbbb cccc", 9, 3), "aaaa bbbb\n    cccc\n");
  EXPECT_EQ(wrap("short", 9, 3), "short\n");
}

/// Two cells of two launches each, one of them failing, with a proof.
store::CampaignRow fill(store::Store& store) {
  store::CampaignRow campaign;
  campaign.suite = "s";
  campaign = store.begin_campaign(campaign);
  for (int64_t number = 1; number <= 4; ++number) {
    const bool serial = number % 2 == 1;
    store::LaunchRecord record;
    store::LaunchRow& launch = record.launch;
    launch.id = store::make_id(), launch.campaign = campaign.id, launch.number = number,
    launch.block = (number - 1) / 2;
    record.cell.strategy = serial ? "serial" : "dp2", record.cell.fabric = serial ? "" : "threads";
    record.cell.workload = "w:tiny", record.cell.system = "fake", record.cell.ranks = serial ? 1 : 2;
    record.cell.text = serial ? "w:tiny fake serial" : "w:tiny fake dp2 on threads";
    launch.cell = record.cell.text, launch.status = store::LaunchStatus::finished;
    record.environment.json = R"({"machine":{"processors":2,"cores":1,"cpu":"X"}})";
    if (!serial) {
      launch.status = store::LaunchStatus::failed, launch.error_kind = "out_of_memory";
      launch.error_message = "rank 1: asked 3.1 GiB\nlines of stderr";
    } else {
      record.series.push_back({0, "step_begin_ns", "ns", std::vector<int64_t>{0, 1'000'000'000}});
      record.series.push_back({0, "step_end_ns", "ns", std::vector<int64_t>{1'000'000'000, 2'000'000'000}});
      record.series.push_back({0, "samples", "samples", std::vector<int64_t>{50, 50}});
      record.series.push_back({0, "loss", "nat", std::vector<double>{2.5, 1.5}});
      record.series.push_back({0, "loss_weight", "positions", std::vector<double>{50, 50}});
      launch.steps = 2;
    }
    store.import_launch(record);
  }
  store.end_campaign(campaign.id, store::CampaignStatus::finished, campaign.started_utc_ns + 214'000'000'000);
  return *store.campaign(campaign.number);
}

/// Comparisons of so many strategies with serial on one workload, every third too close to tell.
std::vector<snapshot::Comparison> against_serial(int strategies) {
  std::vector<snapshot::Comparison> all;
  for (int i = 1; i <= strategies; ++i) {
    snapshot::Comparison one;
    one.kind = snapshot::Comparison::Kind::ranks;
    one.workload = "w:tiny", one.word = i % 3 == 0 ? "cannot tell" : "gains";
    one.a.system = one.b.system = "reference", one.b.strategy = "serial";
    one.a.strategy = "dp2/accum:m=" + std::to_string(i), one.a.fabric = "threads", one.a.ranks = 2;
    one.contrast.ratio = {.value = 1.5, .low = 1.25, .high = 1.75, .level = 0.95, .n = 8};
    one.contrast.paired = true;
    all.push_back(one);
  }
  return all;
}

TEST(Sentences, ManyStrategiesOnOneWorkloadShareAParagraph) {
  const auto few = sentences({}, against_serial(4));
  ASSERT_EQ(few.size(), 5u) << "one a strategy, and how it was decided";
  EXPECT_THAT(few[1],
              HasSubstr("2 ranks against 1, reference dp2/accum:m=2 on threads: gains on 1 of 1: w:tiny 1.50x"));
  const auto many = sentences({}, against_serial(6));
  ASSERT_EQ(many.size(), 2u);
  EXPECT_EQ(many[0],
            "w:tiny, reference against serial: gains on 4 of 6: dp2/accum:m=1 on threads 1.50x [1.25, 1.75], "
            "dp2/accum:m=2 on threads 1.50x [1.25, 1.75], dp2/accum:m=4 on threads 1.50x [1.25, 1.75], "
            "dp2/accum:m=5 on threads 1.50x [1.25, 1.75]; cannot tell on 2 of 6");
}

TEST(Header, AnInterruptedCampaignSaysHowManyLaunchesWereNeverStarted) {
  const testing::Lab lab;
  store::Store store = store::Store::open(lab.store_file.string(), store::OpenMode::create);
  store::CampaignRow campaign = fill(store);
  campaign.planned_launches = 180, campaign.status = store::CampaignStatus::interrupted;
  snapshot::CampaignSnapshot snapshot = snapshot::load(store, campaign);
  const char* line = "176 of 180 launches were never started: lockstep run --resume @1 goes on";
  EXPECT_THAT(header(store, snapshot), HasSubstr(std::string("\n") + line + "\n"));
  EXPECT_EQ(nlohmann::json::parse(to_json(snapshot))["launches_never_started"], 176);
  EXPECT_THAT(build_report(store, snapshot).sections.front().paragraphs, ::testing::Contains(line));
  campaign.status = store::CampaignStatus::running;
  EXPECT_EQ(never_started_line(snapshot::load(store, campaign)), "") << "their turn may come";
  campaign.status = store::CampaignStatus::finished, campaign.planned_launches = 4;
  EXPECT_EQ(never_started_line(snapshot::load(store, campaign)), "");
  campaign.planned_launches = 5;
  EXPECT_THAT(never_started_line(snapshot::load(store, campaign)), HasSubstr("1 of 5 launches was never started"));
  const snapshot::Filter part = snapshot::parse_filter("strategy:serial");
  EXPECT_EQ(never_started(snapshot::load(store, campaign, part)), 0) << "of a part it is not known";
}

TEST(Table, HasFiguresReasonsAndTheCommandThatShowsTheLog) {
  const testing::Lab lab;
  store::Store store = store::Store::open(lab.store_file.string(), store::OpenMode::create);
  const auto snapshot = snapshot::load(store, fill(store));
  const std::string text = table(store, snapshot);
  EXPECT_THAT(text,
              AllOf(HasSubstr("s: campaign @1, 4 launches in 3 min 34 s: 2 finished, 2 failed; 0 of 2 cells skipped"),
                    HasSubstr("2 CPUs = 2 threads of 1 core (X), no GPU"), HasSubstr("50.0"),
                    HasSubstr("fake dp2 on threads  FAILED 2 of 2: out_of_memory, rank 1: asked 3.1 GiB\n"),
                    HasSubstr("log: lockstep show @1.2 --log all -20")));
  const auto document = nlohmann::json::parse(to_json(snapshot));
  EXPECT_EQ(document["workloads"][0]["cells"][0]["throughput_samples_per_s"]["value"], 50.0);
  EXPECT_EQ(document["workloads"][0]["cells"][1]["reasons"][0]["error"]["kind"], "out_of_memory");
  EXPECT_FALSE(document["workloads"][0]["cells"][1].contains("throughput_samples_per_s"));
}

}  // namespace
}  // namespace lockstep::report
