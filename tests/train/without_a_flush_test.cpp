// Pipelines without a flush: their versions of the weights, and checkpoints of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "reference_trainer/train/checkpoint.h"
#include "tests/test_name.h"
#include "tests/train/rank.h"

namespace lockstep::train {
namespace {

/// Steps [from, to) in stretches of `stretch`, with what a checkpoint of the end has.
std::vector<double> parameters_after(const Setting& setting, const std::string& strategy, int64_t from, int64_t to,
                                     int64_t stretch, const std::filesystem::path& load,
                                     const std::filesystem::path& save) {
  comm::run_ranks(text::ranks(text::parse_strategy(strategy)), [&](comm::Transport& transport) {
    Rank<double> rank(setting, strategy, transport);
    if (!load.empty()) load_checkpoint(load, rank.trainer);
    for (int64_t s = from; s < to; ++s) {
      if (rank.trainer.stretch_is_over()) rank.begin(s, std::min(s + stretch, to));
      rank.trainer.step();
    }
    rank.evaluator.run(17);
    save_checkpoint(save, rank.trainer, to);
    rank.communicator().barrier("end");
  });
  const workloads::SafetensorsFile file(save);
  std::vector<double> all;
  const graph::Graph graph = setting.graph();
  for (graph::TensorId id : graph.parameters) {
    const auto values = file.at(graph.tensor(id).name).values<double>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

class WithoutAFlush : public testing::TestWithParam<const char*> {};

/// A pipeline without a flush is drained before a checkpoint, whether or not the run goes on in this process; so a run
/// that resumes has the bits of one that only saved.
TEST_P(WithoutAFlush, ResumesWithTheSameBits) {
  const Setting setting = small_setting({});
  const auto half = conformance::shared_folder() / "half.safetensors",
             end = conformance::shared_folder() / "end.safetensors";
  const auto straight = parameters_after(setting, GetParam(), 0, 20, 10, {}, end);
  parameters_after(setting, GetParam(), 0, 10, 10, {}, half);
  EXPECT_EQ(parameters_after(setting, GetParam(), 10, 20, 10, half, end), straight);
  EXPECT_NE(parameters_after(setting, GetParam(), 0, 20, 20, {}, end), straight) << "draining changes the numbers";
}

INSTANTIATE_TEST_SUITE_P(Rules, WithoutAFlush,
                         testing::Values("pp3/pipedream:weights=stash", "pp3/pipedream:weights=vertical",
                                         "pp3/pipedream:weights=2bw", "pp3/pipedream:weights=predict",
                                         "pp2.dp2/pipedream:m=2,weights=stash"),
                         [](const auto& info) { return test_name({info.param}); });

/// What enters and leaves a stretch is the newest version, wherever it lies.
TEST(ModelStateVersions, TakeTurnsAndKeepWhatTheyHeld) {
  const Setting setting = small_setting({});
  const plan::Plan plan = plan::make_plan(setting.graph(), text::parse_strategy("pp3/pipedream"), {8, true, 0});
  ASSERT_EQ(plan.weight_copies, 3);
  ModelState<double> state(plan, 0);
  state.parameters()[0] = 1;
  state.begin_version(1);
  EXPECT_EQ(state.parameters()[0], 1);
  state.parameters()[0] = 2;
  EXPECT_EQ(state.weights(0)[0], 1);
  EXPECT_EQ(state.bytes_of_stashed(), 2 * static_cast<int64_t>(state.parameters().size_bytes()));
  state.restart_versions();
  EXPECT_EQ(state.weights(0)[0], 2);
  EXPECT_EQ(state.parameters()[0], 2);
}

}  // namespace
}  // namespace lockstep::train
