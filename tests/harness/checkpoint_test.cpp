#include <gmock/gmock.h>

#include <fstream>

#include "tests/harness/lab.h"

/// Saving a run and going on with it, from the command line.
namespace lockstep::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kSmallGpt = "gpt-austen:micro,data=synthetic,width=8,layers=2,steps=24,precision=fp64";

/// Runs one launch; what it said.
std::string run_once(const Lab& lab, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"run", "-n", "1", "--no-verify"});
  const auto said = lab.lockstep(std::move(arguments));
  EXPECT_EQ(said.code, 0) << said.err;
  return said.out;
}

std::vector<double> doubles_of(store::Store& store, const std::string& launch, int64_t rank, const char* name) {
  const auto series = store.series(launch, rank, name);
  return series ? std::get<std::vector<double>>(series->values) : std::vector<double>();
}

/// The mean loss of the last steps over the ranks that had some, by steps from the end.
std::vector<double> last_losses(const Lab& lab, int64_t campaign, int64_t launch, size_t count) {
  store::Store store = lab.store();
  const std::string id = store.launch(campaign, launch)->id;
  std::vector<double> sums(count, 0), weights(count, 0);
  for (int64_t rank = 0; rank < 4; ++rank) {
    const auto loss = doubles_of(store, id, rank, "loss"), weight = doubles_of(store, id, rank, "loss_weight");
    for (size_t i = 0; i < std::min(count, loss.size()); ++i) {
      sums[i] += loss[loss.size() - 1 - i] * weight[weight.size() - 1 - i];
      weights[i] += weight[weight.size() - 1 - i];
    }
  }
  for (size_t i = 0; i < count; ++i) sums[i] /= weights[i];
  return sums;
}

/// Four ranks save in one layout; two go on in another, to the same losses.
TEST(Checkpoints, ARunOfFourRanksGoesOnOnTwoInAnotherLayout) {
  const Lab lab;
  run_once(lab, {"-w", kSmallGpt, "-s", "dp2.tp2/zero3", "--checkpoint-every", "10"});
  const std::filesystem::path file = lab.runs / "1" / "001" / "checkpoint-10.safetensors";
  ASSERT_TRUE(std::filesystem::exists(file));
  EXPECT_TRUE(std::filesystem::exists(lab.runs / "1" / "001" / "checkpoint-20.safetensors"));
  const std::vector<double> whole = last_losses(lab, 1, 1, 14);
  int64_t campaign = 2;
  for (const char* strategy : {"pp2/1f1b:m=2", "tp2/sp", "serial", "dp2/amp:bf16"}) {
    run_once(lab, {"-w", kSmallGpt, "-s", strategy, "--from-checkpoint", file.string()});
    store::Store store = lab.store();
    const store::LaunchRow launch = *store.launch(campaign, 1);
    ASSERT_EQ(launch.status, store::LaunchStatus::finished) << launch.error_message;
    EXPECT_EQ(doubles_of(store, launch.id, 0, "loss").size(), 14U) << strategy << ": the steps that were left";
    const std::vector<double> rest = last_losses(lab, campaign++, 1, 14);
    for (size_t i = 0; i < rest.size(); ++i) {
      if (std::string(strategy).ends_with("bf16")) {
        EXPECT_NEAR(rest[i], whole[i], 1e-2) << strategy;
      } else {
        EXPECT_NEAR(rest[i], whole[i], 1e-10) << strategy << ", " << i << " steps before the end";
      }
    }
  }
}

/// Before a process starts, with the numbers.
TEST(Checkpoints, WhatCannotGoOnIsRefusedWithTheReason) {
  const Lab lab;
  run_once(lab, {"-w", kSmallGpt, "-s", "dp2", "--checkpoint-every", "12"});
  const std::string file = (lab.runs / "1" / "001" / "checkpoint-12.safetensors").string();
  const auto why = [&](const std::string& workload, const std::string& system) {
    const auto said = run_once(lab, {"-w", workload, "-S", system, "-s", "dp2", "--from-checkpoint", file});
    EXPECT_THAT(said, HasSubstr("unsupported"));
    store::Store store = lab.store();
    const store::LaunchRow launch = *store.launch(store.campaigns().back().number, 1);
    EXPECT_EQ(launch.status, store::LaunchStatus::skipped) << workload;
    return launch.error_message;
  };
  EXPECT_THAT(why(kSmallGpt, "fake"), HasSubstr("resume: fake does not save runs"));
  EXPECT_THAT(why(kSmallGpt + ",seed=7", "reference"),
              HasSubstr("saved with seed 1, and this run has 7; write seed=1"));
  EXPECT_THAT(why("gpt-austen:micro,data=synthetic,width=8,layers=2,steps=12,precision=fp64", "reference"),
              HasSubstr("it has 12 of 12 steps behind it, so none is left"));
  EXPECT_THAT(why("gpt-austen:micro,data=synthetic,width=8,layers=2,steps=24", "reference"),
              HasSubstr("its numbers are F64, and this run has precision=fp32"));
  EXPECT_THAT(why("gpt-austen:micro,data=synthetic,width=16,layers=2,steps=24,precision=fp64", "reference"),
              AllOf(HasSubstr("], this model's is ["), HasSubstr("of another model")));
  EXPECT_THAT(why(kSmallGpt + ",optimizer=sgd", "reference"), HasSubstr("arrays, that of this recipe keeps 0"));
}

TEST(Checkpoints, OptionsThatCannotBeAreRefused) {
  const Lab lab;
  const auto says = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "-w", kSmallGpt, "-s", "dp2", "-n", "1"});
    const auto said = lab.lockstep(std::move(more));
    EXPECT_EQ(said.code, 2);
    return said.err;
  };
  EXPECT_THAT(says({"--from-checkpoint", "none.safetensors"}), HasSubstr("none.safetensors: cannot be read"));
  EXPECT_THAT(says({"--checkpoint-every", "0"}), HasSubstr("checkpoint-every"));
  EXPECT_THAT(says({"-S", "reference:checkpoint_every=often"}), HasSubstr("a whole number of steps"));
  std::ofstream(lab.folder / "rubbish.safetensors") << "rubbish";
  EXPECT_THAT(says({"--converge", "--from-checkpoint", "rubbish.safetensors"}), HasSubstr("leave one of them out"));
  const auto said = lab.lockstep({"run", "-w", kSmallGpt, "-n", "1", "--no-verify", "--from-checkpoint",
                                  (lab.folder / "rubbish.safetensors").string()});
  EXPECT_EQ(said.code, 3);
  EXPECT_THAT(lab.store().launch(1, 1)->error_message, HasSubstr("checkpoint-"));
}

}  // namespace
}  // namespace lockstep::testing
