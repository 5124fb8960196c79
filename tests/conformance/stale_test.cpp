// Pipelines without a flush train as their own serial model does, in which every stage's stale weights are explicit: in
// fp64 on the naive kernels.
#include "tests/conformance/stale_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_trainer/kernels/executable.h"
#include "tests/test_name.h"

namespace lockstep::conformance {
namespace {

struct StaleRow {
  const char* strategy;
  const char* workload;
  std::vector<std::string> arguments = {};
  int64_t stretch = kWholeRun;  ///< steps after which the pipeline is drained
};

void PrintTo(const StaleRow& row, std::ostream* out) { *out << row.strategy << " on " << row.workload; }

/// Each rule of weights with 2, 3 and 4 stages; one microbatch an update and several, which need not divide the batch;
/// beside each axis; a GPT with a head of its own, since tied weights are refused; optimizers that look back; ragged
/// last batches; stretches that end, some before the pipeline is full.
const StaleRow kStaleRows[] = {
    {"pp2/pipedream", "mlp-digits"},
    {"pp2/pipedream:weights=stash", "lstm-austen", {"clip=none"}},
    {"pp3/pipedream:weights=stash", "mlp-fashion"},
    {"pp3/pipedream:weights=stash", "lstm-austen", {"clip=none"}},
    {"pp4/pipedream:weights=stash", "vit", {"clip=none"}},
    {"pp4/pipedream:m=2,weights=stash", "vit", {"clip=none"}},
    {"pp3/pipedream:m=5,weights=stash", "mlp-digits"},
    {"pp2/pipedream:weights=vertical", "mlp-digits"},
    {"pp3/pipedream:weights=vertical", "lstm-austen", {"clip=none"}},
    {"pp4/pipedream:weights=vertical", "vit", {"clip=none"}},
    {"pp4/pipedream:m=2,weights=vertical", "vit", {"clip=none"}},
    {"pp2/pipedream:weights=2bw", "mlp-digits"},
    {"pp3/pipedream:weights=2bw", "lstm-austen", {"clip=none"}},
    {"pp4/pipedream:weights=2bw", "vit", {"clip=none"}},
    {"pp3/pipedream:m=5,weights=2bw", "mlp-fashion"},
    {"pp2/pipedream:weights=predict", "mlp-digits"},
    {"pp3/pipedream:weights=predict", "mlp-fashion"},
    {"pp4/pipedream:weights=predict", "vit", {"clip=none"}},
    {"pp4/pipedream:m=2,weights=predict", "vit", {"clip=none"}},
    {"pp2/pipedream:weights=stash", "mlp-digits", {"optimizer=sgd"}},
    {"pp3/pipedream:weights=stash", "mlp-digits", {"optimizer=adamw", "lr=0.01", "weight_decay=0.1", "dropout=0.2"}},
    {"pp2/pipedream:weights=stash", "cnn-fashion"},
    {"pp3/pipedream:weights=predict", "mlp-digits", {"batch=7"}},
    {"pp3/pipedream:weights=stash", "mlp-digits", {}, 7},
    {"pp4/pipedream:weights=vertical", "vit", {"clip=none"}, 5},
    {"pp4/pipedream:weights=predict", "vit", {"clip=none"}, 2},
    {"pp3/pipedream:weights=2bw", "mlp-digits", {}, 1},
    {"pp2.dp2/pipedream:weights=stash", "mlp-digits"},
    {"pp2.dp2/bucket:1kB/pipedream:m=2,weights=stash", "vit", {"clip=none"}},
    {"pp2.dp4/pipedream:m=2,weights=vertical", "mlp-digits", {"batch=5"}},
    {"pp2.dp3/pipedream:weights=predict", "mlp-digits", {"batch=2"}},
    {"pp2.tp2/pipedream:weights=vertical", "mlp-digits"},
    {"pp2.tp3/pipedream:weights=stash/sp", "vit", {"clip=none"}},
    {"pp2.cp2/pipedream:weights=2bw", "gpt-austen", {"clip=none"}},
    {"pp3/pipedream:weights=stash", "gpt-austen", {"clip=none"}},
    {"pp2.h2/pipedream:weights=predict", "cnn-fashion"},
    {"pp2.dp2.tp2/pipedream:m=2,weights=2bw/recompute:full", "vit", {"clip=none", "heads=2"}},
    {"pp3/pipedream:weights=stash/recompute:full", "vit", {"clip=none"}},
    {"pp3/pipedream:weights=stash/offload:disk", "mlp-digits"},
    {"pp3/pipedream:weights=stash/stages:equal", "vit", {"clip=none"}},
    {"pp2/pipedream:m=2,weights=stash", "resnet20", {"batch=11", "steps=10"}},
};

class StalePipelines : public testing::TestWithParam<StaleRow> {};

TEST_P(StalePipelines, EqualTheirSerialModel) {
  const auto& [strategy, workload, arguments, stretch] = GetParam();
  std::string missing;
  const auto setting = untied_setting_of(workload, arguments, missing);
  if (!setting) GTEST_SKIP() << missing;
  const TrainingRun model = train_stale_model(*setting, strategy, stretch);
  const TrainingRun run = setting->train_on_threads<double>(strategy, "naive", stretch);
  const double rates = setting->workload().recipe.lr * static_cast<double>(setting->workload().steps);
  ASSERT_EQ(run.parameters.size(), model.parameters.size());
  EXPECT_LT(largest_loss_difference(model, run), kBound);
  EXPECT_LT(largest_norm_difference(model, run), kBound);
  EXPECT_LT(largest_difference(model, run, rates), kBound);
  // A stretch of one step has nothing stale in it.
  const double from_serial = largest_loss_difference(setting->serial_run(), run);
  if (stretch > 1) {
    EXPECT_GT(from_serial, 1e-6) << "nothing was stale, so equality proves nothing";
  } else {
    EXPECT_LT(from_serial, kBound);
  }
}

std::string stale_row_name(const testing::TestParamInfo<StaleRow>& info) {
  std::string name = test_name({info.param.strategy, info.param.workload}, info.param.arguments);
  if (info.param.stretch != kWholeRun) name += "_stretch_" + std::to_string(info.param.stretch);
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, StalePipelines, testing::ValuesIn(kStaleRows), stale_row_name);

/// fp32 on the fast kernels, which keep parameters in formats of their own from forward to backward, stays near the
/// model in fp64 on the oracle.
TEST(StaleRules, HoldOnFastKernels) {
  const kernels::KernelSet& fast = kernels::kernel_set("auto", kernels::Precision::fp32);
  for (const char* strategy : {"pp2/pipedream:weights=stash", "pp2/pipedream:weights=predict"}) {
    std::string missing;
    const auto setting = setting_of("cnn-fashion", {"steps=30"}, missing);
    if (!setting) GTEST_SKIP() << missing;
    const TrainingRun model = train_stale_model(*setting, strategy);
    const TrainingRun run = setting->train_on_threads<float>(strategy, std::string(fast.name));
    for (size_t i = 0; i < 10; ++i)
      EXPECT_NEAR(run.losses[i], model.losses[i], 1e-3 * model.losses[i]) << strategy << " step " << i;
  }
}

/// A rule of weights is seen in the numbers: no two of them train alike.
TEST(StaleRules, AreFourDifferentRuns) {
  std::string missing;
  const auto setting = setting_of("vit", {"clip=none", "steps=20"}, missing);
  if (!setting) GTEST_SKIP() << missing;
  std::vector<TrainingRun> runs;
  for (const char* rule : {"m=3,weights=stash", "m=3,weights=vertical", "m=3,weights=2bw", "m=3,weights=predict"})
    runs.push_back(setting->train_on_threads<double>(fmt::format("pp3/pipedream:{}", rule), "naive"));
  for (size_t a = 0; a < runs.size(); ++a) {
    for (size_t b = 0; b < a; ++b) EXPECT_GT(largest_loss_difference(runs[a], runs[b]), 1e-6) << a << " " << b;
  }
}

}  // namespace
}  // namespace lockstep::conformance
