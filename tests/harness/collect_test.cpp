#include <gmock/gmock.h>

#include <fstream>

#include "harness/collect/outcome.h"
#include "harness/collect/rows.h"

namespace lockstep::collect {
namespace {

using contract::Event;
using contract::RunEvents;
using store::LaunchStatus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

supervisor::Report report(const std::string& ended_by, std::vector<supervisor::Exit> exits = {{"rank0", 1, 0, {}, 0}}) {
  supervisor::Report report;
  report.ended_by = ended_by, report.exits = std::move(exits);
  return report;
}

RunEvents events(std::vector<contract::EventBody> bodies, int rank = 0) {
  RunEvents run;
  run.ranks.push_back({"events.rank0.jsonl", "worker", rank, {}, 0, false});
  int64_t t = 0;
  for (contract::EventBody& body : bodies) run.ranks[0].events.push_back({t += 1000, std::move(body)});
  return run;
}

TEST(Judge, TheFirstReasonThatApplies) {
  const RunEvents none;
  const std::vector<contract::EventProblem> bad{{"events.rank0.jsonl", "bad_events", "ends with step"}};
  EXPECT_EQ(judge(report("itself"), none, {}).status, LaunchStatus::finished);
  EXPECT_EQ(judge(std::nullopt, none, {}).kind, "killed");
  EXPECT_EQ(judge(report("harness"), none, bad).status, LaunchStatus::interrupted);
  EXPECT_EQ(judge(report("deadline step"), none, bad).kind, "deadline");
  EXPECT_EQ(judge(report("itself"), none, bad).kind, "bad_events");
  EXPECT_EQ(judge(report("itself", {{"rank0", 1, 3, {}, 0}}), none, bad).message, "rank0 ended with exit code 3");
  EXPECT_THAT(judge(report("itself", {{"rank0", 1, {}, 6, 0}}), none, bad).message, HasSubstr("SIGABRT"));
  const auto unsupported = judge(report("itself"), events({contract::Unsupported{"tp2", "no"}}), bad);
  EXPECT_EQ(unsupported.status, LaunchStatus::skipped);
  EXPECT_EQ(unsupported.message, "tp2: no");
}

TEST(Judge, APeersCauseGoesBeforeItsConsequence) {
  RunEvents run = events({contract::Error{"peer_lost", "rank 1 is gone"}});
  run.ranks.push_back({"events.rank1.jsonl", "worker", 1, {{1, contract::Error{"out_of_memory", "3 GiB"}}}, 0, false});
  EXPECT_EQ(judge(report("peer_lost"), run, {}).kind, "out_of_memory");
  // Processes that we ended ourselves are no cause; the one that died first is.
  const auto outcome = judge(report("peer_lost", {{"rank0", 1, {}, 15, 0}, {"rank1", 2, 9, {}, 0}}), {}, {});
  EXPECT_EQ(outcome.message, "rank1 ended with exit code 9");
}

contract::Step step(int64_t number, int64_t begin, int64_t end) {
  contract::Step step;
  step.step = number, step.t0 = begin, step.t1 = end, step.samples = 4, step.tokens = 4, step.loss = 1,
  step.loss_weight = 4;
  return step;
}

TEST(Rows, SeriesHaveAnEntryAStepAndLackWhatIsNotThere) {
  store::LaunchRecord record;
  contract::Step counted = step(1, 10, 20);
  counted.bytes_sent = 5, counted.messages = 1;
  add_rows(record, events({contract::Hello{}, counted, step(2, 20, 30)}), {}, std::nullopt);
  std::vector<std::string> names;
  for (const store::SeriesRow& row : record.series) names.push_back(row.name);
  // bytes_sent is known of one step only, so there is no series of it; one position a sample: no tokens.
  EXPECT_THAT(names, ElementsAre("step_begin_ns", "step_end_ns", "samples", "loss", "loss_weight"));
  EXPECT_THAT(std::get<std::vector<int64_t>>(record.series[1].values), ElementsAre(20, 30));
}

/// Two tensor-parallel ranks work on the same four samples: the launch has four, not eight.
TEST(Rows, SamplesThatSeveralRanksShareCountOnce) {
  RunEvents run = events({step(1, 10, 20)});
  for (int rank : {1, 2}) {
    run.ranks.push_back(run.ranks[0]);
    run.ranks.back().rank = rank;
  }
  store::LaunchRecord record;
  add_rows(record, run, {{0, 2, 0, {}}, {0, 2, 0, {}}, {1, 2, 0, {}}}, std::nullopt);
  std::vector<int64_t> samples;
  for (const store::SeriesRow& row : record.series) {
    if (row.name == "samples") samples.push_back(std::get<std::vector<int64_t>>(row.values)[0]);
  }
  EXPECT_THAT(samples, ElementsAre(4, 0, 4));
}

TEST(Rows, RanksOfOneProcessAreOneProcess) {
  contract::Hello hello;
  hello.pid = 7, hello.host = "h";
  RunEvents run = events({hello, contract::Memory{"pss", 10, 30}, contract::Memory{"rss", 10, 40}});
  run.ranks.push_back(run.ranks[0]);
  run.ranks[1].rank = 1;
  store::LaunchRecord record;
  add_rows(record, run, {}, report("itself", {{"rank0", 7, 0, {}, 0}}));
  ASSERT_EQ(record.processes.size(), 1U);
  EXPECT_EQ(record.processes[0].peak_pss_bytes, 30);
  EXPECT_EQ(record.processes[0].exit_code, 0);
}

TEST(Rows, ModelledBytesAreASeriesMarkedSo) {
  store::LaunchRecord record;
  add_rows(record, events({step(1, 1, 2), step(2, 2, 3), contract::Metric{"bytes_sent_modelled", 0, 100, "B"}}), {},
           std::nullopt);
  EXPECT_EQ(record.series.back().name, "bytes_sent");
  EXPECT_EQ(record.series.back().unit, "~B");
  EXPECT_THAT(std::get<std::vector<int64_t>>(record.series.back().values), ElementsAre(100, 100));
}

TEST(Marks, ImpossibleRatesShortRegionsAndOversubscription) {
  store::LaunchRow launch;
  launch.threads = 2;
  RunEvents run = events({});
  for (int64_t i = 0; i < 10; ++i)
    run.ranks[0].events.push_back({(i + 1) * 1'000'000'000, step(i + 1, i * 1'000'000, (i + 1) * 1'000'000)});
  EXPECT_THAT(marks(launch, run, report("itself"), 1),
              ElementsAre("short region", "impossible rate", "oversubscribed"));
  for (int64_t i = 0; i < 10; ++i) {
    run.ranks[0].events[static_cast<size_t>(i)].body = step(i + 1, i * 1'000'000'000, (i + 1) * 1'000'000'000);
  }
  EXPECT_TRUE(marks(launch, run, report("itself"), 2).empty());
}

TEST(Logs, TheLastLines) {
  const std::string path = ::testing::TempDir() + "/lockstep-last-lines";
  std::ofstream(path) << "1\n2\n3\n\n";
  EXPECT_EQ(last_lines(path, 2), "2\n3");
  EXPECT_EQ(last_lines(path, 9), "1\n2\n3");
  EXPECT_EQ(last_lines(path + "none", 2), "");
}

}  // namespace
}  // namespace lockstep::collect
