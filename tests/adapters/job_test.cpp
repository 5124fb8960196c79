#include "adapters/contract/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/contract/failure.h"
#include "tests/adapters/scratch.h"

namespace lockstep::contract {
namespace {

Job sample_job() {
  Job job;
  job.launch_id = "L7";
  job.workload = R"({"id":"mlp","recipe":{"lr":0.1}})";
  job.strategy = "dp2";
  job.strategy_parsed = R"({"mesh":[["dp",2]]})";
  job.fabric = "threads";
  job.ranks = {{0, 2, 0, {"worker"}}, {1, 2, 0, {"worker"}}};
  job.init = "init.safetensors";
  job.data = "../shared/ab12";
  job.order = "order.safetensors";
  job.steps = 30;
  job.warmup = 5;
  job.seed = 18446744073709551615u;
  job.precision = "fp64";
  job.threads = 3;
  job.mode = Mode::kVerify;
  job.fingerprints = 4;
  job.eval = {"test_accuracy", 10, 256};
  job.checkpoints = {5, "../shared/checkpoint-cd34.safetensors", 20};
  job.options = R"({"kernels":"naive"})";
  return job;
}

TEST(Job, IsReadBackAsWritten) {
  const Scratch scratch;
  Job job = sample_job();
  job.folder = scratch.folder();
  write_job(job);
  EXPECT_EQ(read_job(scratch.folder() / "job.json"), job);
  EXPECT_EQ(job.path_of(job.data), scratch.folder() / "../shared/ab12");
}

/// The order of a tensor's dims is that of the keys: [gate, heads, head_dim] sorted by name would be another model.
TEST(Job, KeepsTheOrderOfTheWorkloadsKeys) {
  const Scratch scratch;
  Job job = sample_job();
  job.folder = scratch.folder();
  job.workload = R"({"graph":[{"op":"linear","out":{"gate":3,"heads":4,"head_dim":16}}]})";
  write_job(job);
  EXPECT_EQ(read_job(scratch.folder() / "job.json").workload, job.workload);
}

std::string refusal(const std::string& text) {
  try {
    parse_job(text, "job.json");
    return "accepted";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), "usage");
    return failure.what();
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Job, MessagesNamePlaceValueAndRule) {
  const std::string good = job_text(sample_job());
  EXPECT_EQ(refusal(good), "accepted");
  EXPECT_EQ(refusal(replaced(good, "\"seed\"", "\"not_known_yet\": 1, \"seed\"")), "accepted");
  EXPECT_THAT(refusal(replaced(good, "\"contract\": 1", "\"contract\": 2")),
              testing::StartsWith("job.json: contract: 2: must be 1; "));
  EXPECT_THAT(refusal(replaced(good, "\"steps\": 30", "\"steps\": \"many\"")),
              testing::StartsWith("job.json: steps: \"many\": must be an integer"));
  EXPECT_THAT(refusal(replaced(good, "\"warmup\": 5", "\"warmup\": 31")),
              testing::StartsWith("job.json: warmup: 31: must be within the steps"));
  EXPECT_THAT(refusal(replaced(good, "\"done\": 20", "\"done\": 26")),
              testing::StartsWith("job.json: checkpoints.done: 26: must be within the steps, before the warm-up"));
  EXPECT_THAT(refusal(replaced(good, "\"done\": 20", "\"done\": 0")),
              testing::HasSubstr("a file and the steps done belong together; give both, or neither"));
  EXPECT_THAT(refusal(replaced(good, "\"data_index\": 1", "\"data_index\": 2")),
              testing::StartsWith("job.json: ranks[1].data_index: 2 of 2"));
  EXPECT_THAT(refusal("{"), testing::HasSubstr("is not JSON"));
}

}  // namespace
}  // namespace lockstep::contract
