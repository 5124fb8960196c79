#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "adapters/contract/event_reader.h"
#include "adapters/contract/event_writer.h"
#include "adapters/contract/events.h"
#include "adapters/contract/memory.h"
#include "adapters/contract/proof.h"
#include "tests/adapters/scratch.h"

namespace lockstep::contract {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

std::string line_of(const Event& event) {
  std::string out;
  append_line(out, event);
  return out;
}

std::vector<EventBody> one_of_each() {
  return {Hello{1, "w", {{"git", "a\"b\\\n"}}, 12, "host", 1, 2, "worker", "cpu", {5, 6}},
          Ready{10, 40, 2.5},
          Step{3, 100, 200, 8, 16, 0.1, 16, 7, 2, 1, {{"wait", 9}}},
          Eval{3, 24, "test_accuracy", 0.5},
          Memory{"pss", 1, 2},
          Fingerprint{2, {{"a", 1e-300}}, {{"a", 3}}},
          Metric{"noise", 1, -kInfinity, "B"},
          Heartbeat{},
          Clock{1, {1, 2, 3, 4}},
          Artifact{"trace", "t.bin", "x"},
          Unsupported{"zero3", "no"},
          Error{"setup", "missing"},
          Done{3, "ok"}};
}

TEST(Events, EveryKindIsReadBackAsWritten) {
  ASSERT_EQ(one_of_each().size(), std::variant_size_v<EventBody>);
  for (const EventBody& body : one_of_each()) {
    const std::string line = line_of({42, body});
    const ParsedLine parsed = parse_line(line);
    ASSERT_TRUE(parsed.event) << line << parsed.problem;
    EXPECT_EQ(parsed.event->body.index(), body.index());
    EXPECT_EQ(line_of(*parsed.event), line);
  }
}

TEST(Events, TheSchemaHasTheFieldsThatAreWritten) {
  std::ifstream file(LOCKSTEP_SOURCE_DIR "/adapters/contract/events.schema.json");
  const nlohmann::json schema = nlohmann::json::parse(file);
  EXPECT_EQ(schema.at("oneOf").size(), std::variant_size_v<EventBody>);
  for (const EventBody& body : one_of_each()) {
    const nlohmann::json written = nlohmann::json::parse(line_of({42, body}));
    const nlohmann::json& kind = schema.at("$defs").at(std::string(event_name(body)));
    EXPECT_EQ(kind.at("properties").size(), written.size()) << event_name(body);
    for (const auto& item : written.items()) EXPECT_TRUE(kind.at("properties").contains(item.key())) << item.key();
    for (const nlohmann::json& name : kind.at("required")) {
      nlohmann::json without = written;
      without.erase(name.get<std::string>());
      EXPECT_NE(parse_line(without.dump()).problem, "") << event_name(body) << " without " << name;
    }
  }
}

TEST(Events, NumbersKeepEveryBitAndNonFiniteOnesTravelAsTexts) {
  for (const double loss : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, kInfinity, -kInfinity}) {
    const ParsedLine parsed = parse_line(line_of({1, Step{1, 0, 0, 1, 1, loss, 1}}));
    EXPECT_EQ(std::get<Step>(parsed.event->body).loss, loss);
  }
  const std::string line = line_of({1, Step{1, 0, 0, 1, 1, kNan, 1}});
  EXPECT_THAT(line, testing::HasSubstr("\"loss\":\"NaN\""));
  EXPECT_TRUE(std::isnan(std::get<Step>(parse_line(line).event->body).loss));
}

TEST(Events, UnknownOnesAreIgnoredAndBadOnesExplained) {
  EXPECT_EQ(parse_line(R"({"e":"dance","t":1})").problem, "");
  EXPECT_EQ(parse_line("rubbish").problem, "is not a JSON object");
  EXPECT_EQ(parse_line(R"({"e":"done","t":1})").problem, "steps: is missing");
  EXPECT_EQ(parse_line(R"({"e":"eval","t":1,"step":1,"samples_seen":1,"metric":"m","value":"x"})").problem,
            "value: must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
  EXPECT_TRUE(parse_line(R"({"e":"done","t":1,"steps":2,"more":[1]})").event);
}

TEST(EventWriter, KeepsTimedStepsUntilTheEnd) {
  const Scratch scratch;
  EventWriter events(scratch.folder(), 0);
  const auto size = [&] { return std::filesystem::file_size(scratch.folder() / "events.rank0.jsonl"); };
  events.step({1});
  const auto before = size();
  EXPECT_GT(before, 0u);
  events.begin_timed(100);
  events.step({2});
  EXPECT_EQ(size(), before);
  events.end_timed();
  EXPECT_GT(size(), before);
  const RunEvents run = read_run(scratch.folder());
  EXPECT_EQ(run.ranks.at(0).all<Step>().size(), 2u);
}

TEST(EventReader, ToleratesHalfALastLineAndKeepsBadOnes) {
  std::vector<BadLine> bad;
  const RankEvents rank = parse_events("{\"e\":\"heartbeat\",\"t\":1}\nx\n{\"e\":\"new\",\"t\":1}\n{\"e\":\"st",
                                       "events.server3.jsonl", bad);
  EXPECT_EQ(rank.role, "server");
  EXPECT_EQ(rank.rank, 3);
  EXPECT_EQ(rank.events.size(), 1u);
  EXPECT_EQ(rank.unknown, 1);
  EXPECT_TRUE(rank.cut);
  ASSERT_EQ(bad.size(), 1u);
  EXPECT_EQ(bad[0].line, 2);
}

Job job_of(int64_t steps) {
  Job job;
  job.steps = steps;
  return job;
}

RunEvents good_run(int64_t steps) {
  RankEvents rank;
  rank.file = "events.rank0.jsonl";
  rank.events = {{1, Hello{}}, {2, Ready{}}};
  for (int64_t step = 1; step <= steps; ++step)
    rank.events.push_back({10 * step + 9, Step{step, 10 * step, 10 * step + 9, 4, 4, 1, 4}});
  rank.events.push_back({1000, Done{steps}});
  return {{rank}, {}};
}

/// The texts of what is wrong after one seeded fault.
template <class Fault>
std::vector<std::string> problems_after(Fault fault) {
  RunEvents run = good_run(3);
  fault(run.ranks[0].events);
  std::vector<std::string> out;
  for (const EventProblem& problem : check_events(run, job_of(3))) out.push_back(problem.text);
  return out;
}

using Lines = std::vector<Event>;

TEST(CheckEvents, FindsEachSeededFault) {
  using testing::ElementsAre;
  using testing::HasSubstr;
  EXPECT_THAT(problems_after([](Lines&) {}), testing::IsEmpty());
  EXPECT_THAT(problems_after([](Lines& e) { e.erase(e.begin()); }), ElementsAre(HasSubstr("starts with ready")));
  EXPECT_THAT(problems_after([](Lines& e) { e.erase(e.begin() + 1); }), ElementsAre("has a step before ready"));
  EXPECT_THAT(problems_after([](Lines& e) { e.pop_back(); }), ElementsAre(HasSubstr("ends with step")));
  EXPECT_THAT(problems_after([](Lines& e) { std::get<Step>(e[3].body).step = 5; }),
              ElementsAre("step 5 follows step 1"));
  EXPECT_THAT(problems_after([](Lines& e) { std::get<Step>(e[3].body).t0 = 15; }),
              ElementsAre(HasSubstr("out of order")));
  EXPECT_THAT(problems_after([](Lines& e) { std::get<Step>(e[4].body).t1 = 500; }),
              ElementsAre(HasSubstr("out of order")));
  EXPECT_THAT(problems_after([](Lines& e) { std::get<Hello>(e[0].body).world = 2; }),
              ElementsAre(HasSubstr("world is 2")));
  EXPECT_THAT(problems_after([](Lines& e) { e.insert(e.begin(), e[0]); }), ElementsAre(HasSubstr("hello twice")));
  EXPECT_THAT(problems_after([](Lines& e) { std::get<Done>(e.back().body).steps = 2; }),
              ElementsAre(HasSubstr("2 steps")));
  EXPECT_THAT(problems_after([](Lines& e) { e.clear(); }), ElementsAre(HasSubstr("no event")));
}

TEST(CheckEvents, MissesARankAndAcceptsAnErrorAsAnEnd) {
  Job job = job_of(3);
  job.ranks.resize(2);
  RunEvents run = good_run(3);
  std::get<Hello>(run.ranks[0].events[0].body).world = 2;
  run.ranks[0].events.back().body = Error{"out_of_memory", ""};
  const auto problems = check_events(run, job);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].file, "events.rank1.jsonl");
}

/// The recorded runs of the PyTorch adapter: a small MLP, serial and dp2 on gloo, ragged batches.
TEST(Fixtures, RecordedRunsOfPyTorchAreReplayedAndDoEqualWork) {
  const std::filesystem::path folder = LOCKSTEP_SOURCE_DIR "/adapters/pytorch/fixtures";
  WorkRecord records[2];
  for (const int ranks : {1, 2}) {
    const std::filesystem::path run_folder = folder / (ranks == 1 ? "serial" : "dp2");
    const Job job = read_job(run_folder / "job.json");
    const RunEvents run = read_run(run_folder);
    EXPECT_EQ(job.world(), ranks);
    EXPECT_EQ(static_cast<int>(run.ranks.size()), ranks);
    EXPECT_THAT(check_events(run, job), testing::IsEmpty());
    EXPECT_GT(peak_pss_bytes(run).value_or(0), 0);
    records[ranks - 1] = work_record(run);
  }
  const Proof proof = compare_work(records[0], records[1], tolerances("fp32", false), 0.1);
  EXPECT_EQ(proof.status, ProofStatus::kHeld) << proof.reason;
}

TEST(PeakPss, AddsProcessesAndNotRanksOfOne) {
  RunEvents run;
  for (const int64_t pid : {7, 7, 8}) {
    RankEvents rank;
    rank.events.push_back({0, Hello{1, "w", {}, pid}});
    if (run.ranks.size() != 1) rank.events.push_back({1, Memory{"pss", 0, 100 * pid}});
    run.ranks.push_back(rank);
  }
  EXPECT_EQ(peak_pss_bytes(run), 1500);
  run.ranks[2].events.pop_back();
  EXPECT_EQ(peak_pss_bytes(run), std::nullopt);
}

TEST(Memory, PeakFollowsAnAllocation) {
  if (!process_memory()) GTEST_SKIP() << "/proc/self/smaps_rollup is not readable here";
  if (!reset_peak_memory()) GTEST_SKIP() << "/proc/self/clear_refs is not writable here";
  const auto before = process_memory();
  {
    std::vector<char> block(64 << 20, 1);
    EXPECT_EQ(block.back(), 1);
  }
  EXPECT_GE(process_memory()->peak_rss - before->rss, 60 << 20);
}

}  // namespace
}  // namespace lockstep::contract
