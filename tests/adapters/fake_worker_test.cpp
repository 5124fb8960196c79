#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include "adapters/contract/event_reader.h"
#include "adapters/contract/job.h"
#include "tests/adapters/scratch.h"

extern char** environ;

namespace lockstep::contract {
namespace {

/// Runs the fake worker on a job of 8 steps and 2 ranks; the raw wait status.
int run_fake(const Job& job) {
  write_job(job);
  const std::string program = LOCKSTEP_BIN_DIR "/lockstep-fake-worker", file = (job.folder / "job.json").string();
  std::string parts[] = {program, file};
  char* argv[] = {parts[0].data(), parts[1].data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
  posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
  pid_t pid = 0;
  EXPECT_EQ(posix_spawn(&pid, program.c_str(), &quiet, nullptr, argv, environ), 0);
  posix_spawn_file_actions_destroy(&quiet);
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

Job fake_job(const Scratch& scratch, const std::string& misbehave) {
  Job job;
  job.folder = scratch.folder();
  job.launch_id = "fake";
  job.workload = "{}";
  job.fabric = "threads";
  job.strategy = "dp2";
  job.ranks = {{0, 2}, {1, 2}};
  job.steps = 8;
  job.warmup = 2;
  job.options = R"({"step_us":"50","at":"5","rank":"1","misbehave":")" + misbehave + "\"}";
  return job;
}

struct Row {
  const char* misbehave;
  bool exits;  ///< ends by itself with status 0
  const char* problem;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.misbehave; }

class FakeWorker : public testing::TestWithParam<Row> {};

TEST_P(FakeWorker, IsCaughtByTheCheckOfEvents) {
  const Scratch scratch;
  const Job job = fake_job(scratch, GetParam().misbehave);
  EXPECT_EQ(run_fake(job) == 0, GetParam().exits);
  const auto problems = check_events(read_run(scratch.folder()), job);
  if (!*GetParam().problem) {
    EXPECT_TRUE(problems.empty()) << problems.front().file << problems.front().text;
    return;
  }
  std::vector<std::string> texts;
  for (const EventProblem& problem : problems) texts.push_back(problem.text);
  EXPECT_THAT(texts, testing::Contains(testing::HasSubstr(GetParam().problem)));
}

INSTANTIATE_TEST_SUITE_P(Misbehaviours, FakeWorker,
                         testing::Values(Row{"none", true, ""}, Row{"slow", true, ""}, Row{"stall", true, ""},
                                         Row{"lie", true, ""}, Row{"claim", true, ""}, Row{"nan", true, ""},
                                         Row{"silent", true, "not with done"}, Row{"crash", false, "not with done"},
                                         Row{"die", true, "not with done"}, Row{"half_line", false, "half a line"},
                                         Row{"rubbish", true, "is not a JSON object"}),
                         [](const auto& info) { return std::string(info.param.misbehave); });

}  // namespace
}  // namespace lockstep::contract
