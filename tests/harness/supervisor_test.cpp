#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "harness/launch/leftovers.h"
#include "harness/launch/spawn.h"
#include "harness/supervisor/process_tree.h"
#include "harness/supervisor/watch.h"
#include "tests/harness/lab.h"

namespace lockstep::supervisor {
namespace {

namespace fs = std::filesystem;
using launch::Supervised;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const fs::path kBin = LOCKSTEP_BIN_DIR;

/// Shell scripts under a real supervisor.
class SupervisorTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_ = lab_.runs / "1" / "001"); }

  Order order(const std::vector<std::string>& scripts) const {
    Order order{"00000000000000000000000000000001", {}, {}, {2, 2, 2, 2, 0.5}};
    for (size_t i = 0; i < scripts.size(); ++i) {
      const std::string name = "rank" + std::to_string(i);
      order.commands.push_back({name, {"/bin/sh", "-c", scripts[i]}, {}, name + ".out", name + ".err"});
      order.event_files.push_back("events.rank" + std::to_string(i) + ".jsonl");
    }
    return order;
  }

  Report run_order(const Order& order) {
    Supervised supervised(kBin, folder_, order);
    while (!supervised.wait(50)) {
    }
    return supervised.report().value();
  }
  Report run(const std::vector<std::string>& scripts) { return run_order(order(scripts)); }

  void wait_for_file(const std::string& name) const {
    while (!fs::exists(folder_ / name)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  testing::Lab lab_;
  fs::path folder_;
};

constexpr const char* kHello = "echo '{\"e\": \"hello\", \"t\": 1}' >> events.rank0.jsonl; ";
constexpr const char* kReady = "echo '{\"e\":\"ready\",\"t\":2}' >> events.rank0.jsonl; ";
constexpr const char* kDone = "echo '{\"e\":\"done\",\"t\":3}' >> events.rank0.jsonl; ";

TEST_F(SupervisorTest, ReportsCodesOutputsAndVariables) {
  const Report report = run({"echo out $LOCKSTEP_LAUNCH_ID; echo err >&2; exit 0", "exit 7"});
  EXPECT_EQ(report.ended_by, "itself");
  EXPECT_EQ(report.exits[0].code, 0);
  EXPECT_EQ(report.exits[1].code, 7);
  EXPECT_EQ(report.needed, "nothing");
  EXPECT_EQ(report.left, 0);
  std::string line;
  std::getline(std::ifstream(folder_ / "rank0.out") >> std::ws, line);
  EXPECT_EQ(line, "out 00000000000000000000000000000001");
}

TEST_F(SupervisorTest, SaysWhyAProcessCouldNotBeStarted) {
  Order wrong = order({"sleep 100", "true"});
  wrong.commands[1].arguments = {"/nonexistent/worker"};
  const Report report = run_order(wrong);
  EXPECT_EQ(report.ended_by, "start_failed");
  EXPECT_THAT(report.start_error, HasSubstr("/nonexistent/worker"));
  EXPECT_THAT(lab_.processes(), IsEmpty());
}

TEST_F(SupervisorTest, EndsWhatALaunchLeavesBehindEvenInSessionsOfItsOwn) {
  const Report report = run({"setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' & sleep 0.2; exit 0"});
  EXPECT_EQ(report.ended_by, "itself");
  EXPECT_GE(report.left_behind, 1);
  EXPECT_EQ(report.needed, "SIGKILL");
  EXPECT_EQ(report.left, 0);
  EXPECT_THAT(lab_.processes(), IsEmpty());
}

TEST_F(SupervisorTest, DeadlinesOfEveryPhase) {
  const std::string ready = std::string(kHello) + kReady;
  EXPECT_EQ(run({"sleep 100"}).ended_by, "deadline start");
  for (const auto& [script, phase] :
       {std::pair<std::string, std::string>{kHello, "prepare"}, {ready, "step"}, {ready + kDone, "stop"}}) {
    fs::remove(folder_ / "events.rank0.jsonl");
    const Report report = run({script + "sleep 100"});
    EXPECT_EQ(report.ended_by, "deadline " + phase);
    EXPECT_THAT(report.waiting, HasSubstr("rank 0 waited"));
    EXPECT_EQ(report.needed, "SIGTERM");
  }
}

TEST_F(SupervisorTest, HeartbeatsAreNoProgress) {
  const Report report =
      run({std::string(kHello) + kReady +
           "while :; do echo '{\"e\":\"heartbeat\",\"t\":4}' >> events.rank0.jsonl; sleep 0.1; done"});
  EXPECT_EQ(report.ended_by, "deadline step");
}

TEST_F(SupervisorTest, AStoppedProcessIsEndedToo) {
  const Report report = run({"kill -STOP $$"});
  EXPECT_EQ(report.ended_by, "deadline start");
  EXPECT_THAT(lab_.processes(), IsEmpty());
}

TEST_F(SupervisorTest, PeersOfADeadRankGetTheStopDeadline) {
  const Report report = run({"exit 3", "sleep 100"});
  EXPECT_EQ(report.ended_by, "peer_lost");
  EXPECT_EQ(report.exits[0].code, 3);
  EXPECT_EQ(report.exits[1].signal, SIGTERM);
}

TEST_F(SupervisorTest, EndsTheLaunchWhenTheHarnessStopsIt) {
  Supervised supervised(kBin, folder_, order({"trap '' TERM; touch up; while :; do sleep 1; done"}));
  wait_for_file("up");
  supervised.stop();
  while (!supervised.wait(50)) {
  }
  EXPECT_EQ(supervised.report()->ended_by, "harness");
  EXPECT_EQ(supervised.report()->needed, "SIGKILL");
  EXPECT_THAT(lab_.processes(), IsEmpty());
}

TEST_F(SupervisorTest, LeftoversOfAKilledSupervisorAreFoundByTheLaunchId) {
  const std::string id = "0000000000000000000000000000dead";
  Order with_id = order({"setsid sleep 100 & touch up; wait"});
  with_id.launch_id = id;
  Supervised supervised(kBin, folder_, with_id);
  wait_for_file("up");
  const pid_t worker = lab_.processes().at(0);
  const ProcessId keeper = parse_process_id(environment_of(worker, kSupervisorVariable));
  EXPECT_THAT(launch::find_leftovers(id), IsEmpty());
  kill(keeper.pid, SIGKILL);
  while (!supervised.wait(50)) {
  }
  EXPECT_FALSE(supervised.report().has_value());
  EXPECT_FALSE(launch::end_leftovers(2, id).empty());
  EXPECT_THAT(lab_.processes(), IsEmpty());
}

TEST(ProcessTree, IdentitiesReadBackAndTellProcessesApart) {
  const ProcessId self = identify(getpid());
  EXPECT_EQ(parse_process_id(to_text(self)), self);
  EXPECT_TRUE(alive(self));
  EXPECT_FALSE(alive({self.pid, self.start_ticks + 1}));
  EXPECT_EQ(parse_process_id("12").pid, 0);
  EXPECT_EQ(parse_process_id("12:3x").pid, 0);
}

TEST(Orders, ReadBack) {
  const testing::Lab lab;
  const Order order{"id", {{"rank0", {"a", "b c"}, {"K=v"}, "o", "e"}}, {"events.rank0.jsonl"}, {1, 2, 3, 4, 5}};
  write_order(lab.folder.string(), order);
  const Order again = read_order(lab.folder.string());
  EXPECT_EQ(again.commands[0].arguments, order.commands[0].arguments);
  EXPECT_EQ(again.commands[0].environment, order.commands[0].environment);
  EXPECT_EQ(again.deadlines.step, 4);
  EXPECT_FALSE(read_report(lab.folder.string()).has_value());
}

TEST_F(SupervisorTest, ADeadlineForTheWholeLaunch) {
  Order asked = order({"sleep 60"});
  asked.event_files.clear();
  asked.deadlines.whole = 0.3;
  const Report report = run_order(asked);
  EXPECT_EQ(report.ended_by, "deadline whole");
  EXPECT_THAT(report.waiting, HasSubstr("deadline 0.3 s"));
}

// The command of rank0 under `lockstep-supervisor stamp`, in the folder "/".
TEST_F(SupervisorTest, StampNotesWhenEachPieceCame) {
  Order asked = order({""});
  asked.commands[0].arguments = {(kBin / "lockstep-supervisor").string(),
                                 "stamp",
                                 "/",
                                 "sh",
                                 "-c",
                                 "pwd; sleep 0.1; printf 'no end'; echo oh >&2; exit 5"};
  asked.event_files.clear();
  const Report report = run_order(asked);
  EXPECT_EQ(report.exits.at(0).code, 5);
  std::string first, rest;
  std::ifstream log(folder_ / "rank0.out");
  std::getline(log, first), std::getline(log, rest);
  EXPECT_EQ(first + "|" + rest, "/|no end");
  int64_t at[2], bytes[2];
  std::ifstream arrivals(folder_ / "arrivals.stdout.txt");
  arrivals >> at[0] >> bytes[0] >> at[1] >> bytes[1];
  EXPECT_EQ(bytes[0], 2);
  EXPECT_EQ(bytes[1], 6);
  EXPECT_GE(at[1] - at[0], 90'000'000);
  EXPECT_TRUE(fs::file_size(folder_ / "arrivals.stderr.txt") > 0);
}

}  // namespace
}  // namespace lockstep::supervisor
