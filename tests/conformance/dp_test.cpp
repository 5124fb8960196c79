// Data parallelism equals the serial run: in fp64 on the naive kernels, where nothing can hide.
#include <gtest/gtest.h>

#include "reference_trainer/kernels/executable.h"
#include "tests/conformance/training_run.h"
#include "tests/test_name.h"

namespace lockstep::conformance {
namespace {

struct Case {
  std::string workload, strategy;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.workload << " " << c.strategy; }

const char* const kWorkloads[] = {"mlp-digits", "mlp-fashion", "cnn-fashion", "gpt-austen", "lstm-austen"};
const char* const kStrategies[] = {"dp2",       "dp3",           "dp4",           "dp5",
                                   "accum:m=3", "dp2/accum:m=2", "dp2@tree",      "dp3@rabenseifner",
                                   "dp4@ring",  "dp2@native",    "dp3/bucket:1kB"};

std::string spelled(const std::string& strategy) {
  return strategy.starts_with("dp") ? strategy : "serial/" + strategy;
}

class DataParallel : public testing::TestWithParam<Case> {};

TEST_P(DataParallel, EqualsSerialInFp64) {
  std::string missing;
  const auto setting = setting_of(GetParam().workload, {}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const TrainingRun& serial = setting->serial_run();
  const TrainingRun run = setting->train_on_threads<double>(spelled(GetParam().strategy), "naive");
  ASSERT_EQ(run.losses.size(), 100u);
  ASSERT_EQ(run.parameters.size(), serial.parameters.size());
  const auto& workload = setting->workload();
  EXPECT_LT(largest_loss_difference(serial, run), kBound);
  EXPECT_LT(largest_norm_difference(serial, run), kBound);
  EXPECT_LT(largest_difference(serial, run, workload.recipe.lr * static_cast<double>(workload.steps)), kBound);
  EXPECT_LT(serial.losses.back(), serial.losses.front()) << "the workload does not learn, so equality proves little";
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* workload : kWorkloads) {
    for (const char* strategy : kStrategies) all.push_back({workload, strategy});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return test_name({info.param.workload, info.param.strategy});
}

INSTANTIATE_TEST_SUITE_P(All, DataParallel, testing::ValuesIn(cases()), name_of);

class OnFastKernels : public testing::TestWithParam<const char*> {};

/// fp32 on the fast kernels against fp64 on the oracle: the first ten losses agree, and later ones stay near (ReLU and
/// pooling decide by sign, so correct fp32 runs part).
TEST_P(OnFastKernels, FollowTheOracleInFp32) {
  const kernels::KernelSet& fast = kernels::kernel_set("auto", kernels::Precision::fp32);
  std::string missing;
  const auto setting = setting_of(GetParam(), {}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const TrainingRun& serial = setting->serial_run();
  for (const char* strategy : {"serial", "dp2"}) {
    const TrainingRun run = setting->train_on_threads<float>(strategy, std::string(fast.name));
    for (size_t i = 0; i < 10; ++i)
      EXPECT_NEAR(run.losses[i], serial.losses[i], 1e-3 * serial.losses[i]) << strategy << " step " << i;
    EXPECT_NEAR(run.losses.back(), serial.losses.back(), 1e-2 * serial.losses.front()) << strategy;
  }
}

/// The same launch twice gives the same bits.
TEST_P(OnFastKernels, RepeatBitForBit) {
  const kernels::KernelSet& fast = kernels::kernel_set("auto", kernels::Precision::fp32);
  std::string missing;
  const auto setting = setting_of(GetParam(), {}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const TrainingRun a = setting->train_on_threads<float>("dp3", std::string(fast.name));
  const TrainingRun b = setting->train_on_threads<float>("dp3", std::string(fast.name));
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.losses, b.losses);
}

INSTANTIATE_TEST_SUITE_P(All, OnFastKernels, testing::ValuesIn(kWorkloads),
                         [](const auto& info) { return test_name({info.param}); });

/// Fewer samples than ranks or microbatches: some have nothing in a step, and add nothing.
TEST(FewSamples, OnManyRanks) {
  std::string missing;
  const auto setting = setting_of("mlp-digits", {"batch=3", "steps=20"}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const TrainingRun serial = setting->train_on_threads<double>("serial", "naive");
  for (const char* strategy : {"dp8", "dp8/bucket:1kB", "serial/accum:m=5", "dp2/accum:m=3/bucket:1kB"}) {
    const TrainingRun run = setting->train_on_threads<double>(strategy, "naive");
    EXPECT_LT(largest_loss_difference(serial, run), kBound) << strategy;
    EXPECT_LT(largest_norm_difference(serial, run), kBound) << strategy;
  }
}

/// The recipe's dropout reaches the graph, so that the next test means something.
TEST(Recipes, DropoutChangesTheRun) {
  std::string missing;
  const auto without = setting_of("mlp-digits", {"steps=20"}, missing),
             with = setting_of("mlp-digits", {"steps=20", "dropout=0.2"}, missing);
  if (!without) GTEST_SKIP() << missing;
  EXPECT_GT(largest_loss_difference(without->train_on_threads<double>("serial", "naive"),
                                    with->train_on_threads<double>("serial", "naive")),
            1e-3);
}

/// Clipping by global norm, AdamW with decay, dropout: none of them sees the ranks.
TEST(Recipes, DoNotSeeTheRanks) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"clip=0.1"},
                                                    {"optimizer=adamw", "lr=0.01", "weight_decay=0.1"},
                                                    {"optimizer=sgd", "weight_decay=0.01"},
                                                    {"dropout=0.2"}}) {
    std::string missing;
    const auto setting = setting_of("mlp-digits", arguments, missing);
    if (!setting) GTEST_SKIP() << missing;
    const TrainingRun serial = setting->train_on_threads<double>("serial", "naive"),
                      run = setting->train_on_threads<double>("dp3", "naive");
    EXPECT_LT(largest_loss_difference(serial, run), kBound) << arguments[0];
    EXPECT_LT(largest_norm_difference(serial, run), kBound) << arguments[0];
  }
}

}  // namespace
}  // namespace lockstep::conformance
