#include "reference_trainer/train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>

#include "adapters/contract/failure.h"
#include "reference_trainer/train/checkpoint.h"
#include "tests/test_name.h"
#include "tests/train/rank.h"

namespace lockstep::train {
namespace {

/// The same samples through a convolution, batch norm (which has states) and dropout.
Setting norm_setting(const std::string& recipe) {
  workloads::Workload workload = small_setting({recipe}).workload();
  workload.graph = R"([{"op": "conv2d", "name": "c", "in": "image", "out": {"chan_out": 4}, "kernel": 3},
      {"op": "batch_norm", "name": "n", "in": "c", "activation": "relu"},
      {"op": "dropout", "name": "d", "in": "n", "rate": 0.25},
      {"op": "linear", "name": "fc", "in": "d", "out": {"class": 10}},
      {"op": "softmax_cross_entropy", "name": "loss", "in": ["fc", "label"]}])";
  workload.text += ",norm";
  return Setting(workload);
}

template <class Real>
void expect_exact_resume(const Setting& setting, const std::string& strategy = "serial") {
  comm::run_ranks(1, [&](comm::Transport& transport) {
    const auto file = conformance::shared_folder() / "resume.safetensors";
    Rank<Real> straight(setting, strategy, transport), first(setting, strategy, transport),
        second(setting, strategy, transport);
    for (int64_t s = 0; s < 20; ++s) straight.step(s), first.step(s);
    save_checkpoint(file, first.trainer, 20);
    ASSERT_EQ(load_checkpoint(file, second.trainer), 20);
    for (int64_t s = 20; s < 40; ++s) straight.step(s), second.step(s);
    const auto a = straight.trainer.state().parameters(), b = second.trainer.state().parameters();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
    for (const auto& [key, block] : straight.trainer.state().states()) {
      const auto have = straight.trainer.state().state(key.first, key.second),
                 back = second.trainer.state().state(key.first, key.second);
      EXPECT_TRUE(std::equal(have.begin(), have.end(), back.begin())) << key.second;
    }
  });
}

TEST(Checkpoint, ResumesWithTheSameBits) {
  expect_exact_resume<float>(small_setting({"optimizer=adamw", "lr=0.01"}));
  expect_exact_resume<double>(small_setting({}));
  expect_exact_resume<float>(norm_setting("optimizer=adamw"));
  expect_exact_resume<double>(norm_setting("optimizer=momentum"));
}

/// The scale and what was left out before are part of it: the rate of adamw depends on how many steps have updated.
TEST(Checkpoint, ResumesLossScalingWithTheSameBits) {
  const Setting setting = small_setting({"optimizer=adamw", "lr=0.01"});
  expect_exact_resume<float>(setting, "serial/amp:bf16");
  expect_exact_resume<float>(setting, "serial/amp:fp16");
  comm::run_ranks(1, [&](comm::Transport& transport) {
    const auto file = conformance::shared_folder() / "scaled.safetensors";
    Rank<float> straight(setting, "serial/amp:fp16", transport), second(setting, "serial/amp:fp16", transport);
    straight.trainer.loss_scale().restore("16777216 0 0");
    for (int64_t s = 0; s < 20; ++s) straight.step(s);
    ASSERT_GT(straight.trainer.loss_scale().skipped(), 0);
    save_checkpoint(file, straight.trainer, 20);
    ASSERT_EQ(load_checkpoint(file, second.trainer), 20);
    EXPECT_EQ(second.trainer.loss_scale().text(), straight.trainer.loss_scale().text());
    for (int64_t s = 20; s < 40; ++s) straight.step(s), second.step(s);
    EXPECT_TRUE(std::ranges::equal(straight.trainer.state().parameters(), second.trainer.state().parameters()));
  });
}

/// Gradients of the second layer's input overflow at 2^24 on every rank, those of a later scale on none. What is left
/// out changes no parameter and no optimizer array.
TEST(LossScaling, AnOverflowLeavesTheStepOutOnAllRanksAndHalvesTheScale) {
  for (const char* strategy : {"dp3/amp:fp16", "tp2/amp:fp16", "dp2/amp:fp16/zero3", "pp2/1f1b:m=2/amp:fp16"}) {
    const Setting setting = small_setting({"optimizer=momentum", "steps=30"});
    std::array<std::atomic<int>, 4> skipped{};
    comm::run_ranks(text::ranks(text::parse_strategy(strategy)), [&](comm::Transport& transport) {
      Rank<float> rank(setting, strategy, transport);
      rank.trainer.loss_scale().restore("16777216 0 0");
      int64_t left_out = 0;
      for (int64_t s = 0; s < 30; ++s) {
        const auto now = rank.trainer.state().parameters();
        const std::vector<float> before(now.begin(), now.end());
        const StepResult result = rank.step(s);
        EXPECT_EQ(result.skipped, std::ranges::equal(before, now)) << strategy << ", step " << s;
        EXPECT_LT(result.loss, 3) << "the loss is not scaled";
        left_out += result.skipped ? 1 : 0;
      }
      EXPECT_EQ(rank.trainer.loss_scale().skipped(), left_out);
      EXPECT_EQ(rank.trainer.loss_scale().value(), std::ldexp(1, 24 - static_cast<int>(left_out)));
      skipped[static_cast<size_t>(transport.rank())] = static_cast<int>(left_out);
    });
    EXPECT_GT(skipped[0], 0) << strategy;
    EXPECT_LT(skipped[0], 20) << strategy;
    EXPECT_EQ(skipped[1], skipped[0]) << strategy;
  }
}

/// A small GPT on synthetic data.
Setting gpt_setting() {
  return {"gpt-austen", "micro", {"data=synthetic", "steps=20", "batch=6", "width=8", "layers=2"}};
}

/// The loss of a step, from all ranks.
template <class Real>
double loss_of(Rank<Real>& rank, int64_t s) {
  const StepResult result = rank.step(s);
  std::array<double, 2> sums = {result.loss * static_cast<double>(result.loss_positions),
                                static_cast<double>(result.loss_positions)};
  rank.trainer.groups()
      .over({plan::Axis::dp, plan::Axis::ep, plan::Axis::pp})
      .run(comm::Operation::all_reduce, std::span<double>(sums), "loss");
  return sums[0] / sums[1];
}

/// Runs steps [from, to) on threads, after loading a checkpoint and before saving one, where they are named.
std::vector<double> losses_of(const Setting& setting, const std::string& strategy, int64_t from, int64_t to,
                              const std::filesystem::path& load, const std::filesystem::path& save) {
  std::vector<double> losses;
  comm::run_ranks(text::ranks(text::parse_strategy(strategy)), [&](comm::Transport& transport) {
    Rank<double> rank(setting, strategy, transport);
    if (!load.empty()) {
      EXPECT_EQ(load_checkpoint(load, rank.trainer), from) << strategy;
    }
    for (int64_t s = from; s < to; ++s) {
      const double loss = loss_of(rank, s);
      if (transport.rank() == 0) losses.push_back(loss);
    }
    if (!save.empty()) save_checkpoint(save, rank.trainer, to);
    rank.communicator().barrier("end");
  });
  return losses;
}

/// A small mixture of experts on synthetic data.
Setting moe_setting() { return {"moe-gpt", "micro", {"data=synthetic", "steps=20", "batch=6", "test_samples=99"}}; }

Setting images_setting() {
  return {"cnn-fashion", "micro", {"data=synthetic", "steps=20", "batch=10", "test_samples=17"}};
}

struct Move {
  const char *from, *to;
  Setting (*setting)() = gpt_setting;
};

class BetweenLayouts : public testing::TestWithParam<Move> {};

/// A run that is saved in one layout goes on in another, on fewer or more ranks, as if nothing had happened.
TEST_P(BetweenLayouts, ACheckpointGoesOn) {
  const Setting setting = GetParam().setting();
  const auto file = conformance::shared_folder() / "moved.safetensors";
  const std::vector<double> straight = losses_of(setting, "serial", 0, 12, {}, {});
  losses_of(setting, GetParam().from, 0, 6, {}, file);
  const std::vector<double> rest = losses_of(setting, GetParam().to, 6, 12, file, {});
  for (size_t i = 0; i < rest.size(); ++i) EXPECT_NEAR(rest[i], straight[i + 6], 1e-10 * straight[i + 6]);
}

/// Parameters come out of a layout as they went in, bit for bit.
TEST_P(BetweenLayouts, ParametersComeOutAsTheyWentIn) {
  const Setting setting = GetParam().setting();
  const auto file = conformance::shared_folder() / "first.safetensors";
  losses_of(setting, GetParam().from, 0, 0, {}, file);
  const workloads::SafetensorsFile before(setting.init()), after(file);
  const graph::Graph graph = setting.graph();
  for (graph::TensorId id : graph.parameters) {
    const auto in = before.at(graph.tensor(id).name).values<float>();
    const auto out = after.at(graph.tensor(id).name).values<double>();
    EXPECT_TRUE(std::equal(in.begin(), in.end(), out.begin(), out.end(), [](float a, double b) { return a == b; }))
        << graph.tensor(id).name;
  }
}

INSTANTIATE_TEST_SUITE_P(Pairs, BetweenLayouts,
                         testing::Values(Move{"dp2.tp2/sp", "pp2/1f1b:m=2"}, Move{"pp2.dp2/1f1b:m=3/zero1", "cp2"},
                                         Move{"dp4/zero3", "tp2"}, Move{"dp4/hsdp:group=2", "dp3/zero3"},
                                         Move{"tp2", "dp4/hsdp:group=2,level=1"}, Move{"pp2/chimera:m=2", "dp3/zero2"},
                                         Move{"serial", "pp2.tp2/interleaved:m=2,v=2"},
                                         Move{"dp2.ep2/zero3", "pp2/1f1b:m=2", moe_setting},
                                         Move{"tp2", "ep4", moe_setting}, Move{"dp3/layout:one_weird_trick", "tp2"},
                                         Move{"pp2.dp2/layout:one_weird_trick/1f1b:m=3", "dp2/zero3", images_setting},
                                         Move{"dp2/zero1", "dp2.tp2/layout:grid15d"},
                                         Move{"pp2.dp2/1f1b:m=3/zero3", "dp2/zero2"},
                                         Move{"tp2", "pp2.dp2/chimera:m=2/zero3"}),
                         [](const auto& info) {
                           return test_name({info.param.from, "to", info.param.to});
                         });

Setting normed_images_setting() {
  return {"resnet20", "micro", {"data=synthetic", "steps=20", "batch=10", "test_samples=17"}};
}

/// Losses of the test samples, with the running statistics of batch norm, and with shares that are not equal.
TEST(Evaluation, EqualsSerialWhereSamplesAreExchanged) {
  const auto evaluated = [](const Setting& setting, const std::string& strategy) {
    Evaluation found;
    comm::run_ranks(text::ranks(text::parse_strategy(strategy)), [&](comm::Transport& transport) {
      Rank<double> rank(setting, strategy, transport);
      for (int64_t s = 0; s < 4; ++s) rank.step(s);
      const Evaluation evaluation = rank.evaluator.run(5);
      if (transport.rank() == 0) found = evaluation;
      rank.communicator().barrier("end");
    });
    return found;
  };
  for (const auto& [setting, strategies] :
       {std::pair{images_setting(), std::vector{"dp2", "dp3/layout:one_weird_trick", "dp2/layout:sfb"}},
        std::pair{normed_images_setting(), std::vector{"dp2/sync_bn", "dp4/sync_bn", "dp2.tp2/sync_bn"}}}) {
    const Evaluation serial = evaluated(setting, "serial");
    for (const char* strategy : strategies) {
      const Evaluation evaluation = evaluated(setting, strategy);
      EXPECT_EQ(evaluation.samples, 17) << strategy;
      EXPECT_NEAR(evaluation.loss, serial.loss, 1e-10 * serial.loss) << strategy;
      EXPECT_EQ(evaluation.accuracy, serial.accuracy) << strategy;
    }
  }
}

/// Another number of optimizer arrays: momentum taken for AdamW's mean would be a silent lie.
TEST(Checkpoint, OfAnotherOptimizerIsRefusedInWords) {
  const Setting adamw = small_setting({"optimizer=adamw"}), nesterov = small_setting({});
  comm::run_ranks(1, [&](comm::Transport& transport) {
    const auto file = conformance::shared_folder() / "optimizer.safetensors";
    Rank<float> a(adamw, "serial", transport), b(nesterov, "serial", transport);
    save_checkpoint(file, a.trainer, 1);
    try {
      load_checkpoint(file, b.trainer);
      ADD_FAILURE() << "it was loaded";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.kind(), "setup");
      EXPECT_EQ(failure.what(), file.string() +
                                    ": its optimizer keeps 2 arrays, this recipe's keeps 1; resume with the "
                                    "optimizer that wrote it");
    }
  });
}

TEST(Checkpoint, OfAnotherModelIsRefusedInWords) {
  const Setting small = small_setting({}), large = small_setting({"width=24"});
  comm::run_ranks(1, [&](comm::Transport& transport) {
    const auto file = conformance::shared_folder() / "other.safetensors";
    Rank<float> a(small, "serial", transport);
    save_checkpoint(file, a.trainer, 1);
    Rank<float> b(large, "serial", transport);
    try {
      load_checkpoint(file, b.trainer);
      ADD_FAILURE() << "it was loaded";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.kind(), "setup");
      EXPECT_NE(std::string(failure.what()).find("elements, the model wants"), std::string::npos) << failure.what();
    }
  });
}

/// Each held-out sample is counted once, whatever the number of ranks and the batch of the evaluation.
TEST(Evaluator, DoesNotSeeTheRanks) {
  const Setting setting = small_setting({"test_samples=199"});
  double accuracy = -1, loss = -1;
  for (int ranks : {1, 2, 3, 8}) {
    comm::run_ranks(ranks, [&](comm::Transport& transport) {
      Rank<double> rank(setting, ranks == 1 ? "serial" : fmt::format("dp{}", ranks), transport);
      const Evaluation result = rank.evaluator.run(17);
      EXPECT_EQ(result.samples, 199);
      if (transport.rank() == 0 && ranks == 1) accuracy = result.accuracy, loss = result.loss;
      if (ranks > 1) {
        EXPECT_EQ(result.accuracy, accuracy);
        EXPECT_NEAR(result.loss, loss, 1e-12);
      }
      rank.communicator().barrier("end");
    });
  }
}

/// Nor does it see experts on several ranks, of which some have a sample more than others.
TEST(Evaluator, DoesNotSeeTheExperts) {
  const Setting setting = moe_setting();
  double accuracy = -1, loss = -1;
  for (const char* strategy : {"serial", "ep2", "dp2.ep2/zero3", "pp2.ep4/1f1b:m=2"}) {
    comm::run_ranks(text::ranks(text::parse_strategy(strategy)), [&](comm::Transport& transport) {
      Rank<double> rank(setting, strategy, transport);
      const Evaluation result = rank.evaluator.run(12);
      EXPECT_EQ(result.samples, 99) << strategy;
      if (transport.size() == 1) accuracy = result.accuracy, loss = result.loss;
      EXPECT_EQ(result.accuracy, accuracy) << strategy;
      EXPECT_NEAR(result.loss, loss, 1e-12) << strategy;
      rank.communicator().barrier("end");
    });
  }
}

/// Activation memory is shared between the batch sizes that come, so a ragged last batch adds nothing.
TEST(Engine, RaggedBatchesShareTheArena) {
  const Setting setting = small_setting({});
  comm::run_ranks(1, [&](comm::Transport& transport) {
    Rank<float> rank(setting, "serial", transport);
    rank.step(0);
    const int64_t bytes = rank.trainer.arena_bytes();
    int64_t fewest = 12;
    for (int64_t s = 1; s < 45; ++s) fewest = std::min(fewest, rank.step(s).samples);
    EXPECT_LT(fewest, 12) << "no batch was ragged";
    EXPECT_EQ(rank.trainer.arena_bytes(), bytes);
  });
}

}  // namespace
}  // namespace lockstep::train
