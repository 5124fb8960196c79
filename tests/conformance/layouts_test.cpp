// However a model is split, it trains as one rank does: in fp64 on the naive kernels, where nothing can hide.
#include <gtest/gtest.h>

#include "reference_trainer/kernels/executable.h"
#include "tests/conformance/training_run.h"
#include "tests/test_name.h"

namespace lockstep::conformance {
namespace {

/// A strategy on a workload's micro preset, with what has to change there so that it can be split so often.
struct Row {
  const char* strategy;
  const char* workload;
  std::vector<std::string> arguments = {};
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.strategy << " on " << row.workload; }

const Row kRows[] = {
    {"tp2", "gpt-austen"},
    {"tp3", "gpt-austen", {"heads=4", "ffn=50"}},
    {"tp4", "gpt-austen", {"heads=4"}},
    {"tp2/sp", "gpt-austen"},
    {"tp3/sp", "gpt-austen", {"heads=4", "seq=17"}},
    {"dp2.tp2", "gpt-austen"},
    {"tp2.dp3/sp", "gpt-austen"},
    {"dp2.tp2/accum:m=2/sp", "gpt-austen"},
    {"dp2.tp2/bucket:1kB", "gpt-austen"},
    {"tp2", "lstm-austen"},
    {"tp3", "lstm-austen"},
    {"tp2", "mlp-digits"},
    {"tp3", "mlp-fashion"},
    {"dp2.tp2", "mlp-digits", {"dropout=0.2"}},
    {"cp2", "gpt-austen"},
    {"cp3", "gpt-austen"},
    {"cp4", "gpt-austen", {"seq=17"}},
    {"dp2.cp2", "gpt-austen"},
    {"cp2.tp2/sp", "gpt-austen"},
    {"dp2.cp2.tp2/accum:m=2/sp", "gpt-austen"},
    {"dp2.cp2/zero3", "gpt-austen"},
    {"h2", "cnn-fashion"},
    {"w3", "cnn-fashion"},
    {"h2.w2", "cnn-fashion"},
    {"h7", "cnn-fashion"},
    {"dp2.h2", "cnn-fashion"},
    {"h2.tp2", "cnn-fashion"},
    {"h2.w2", "cnn-fashion", {"kernel=5", "pad=2"}},
    {"dp2.w2/zero2", "cnn-fashion"},
    {"tp2/layout:megatron", "gpt-austen"},
    {"tp2/layout:vocab", "gpt-austen"},
    {"tp2/layout:filter", "cnn-fashion"},
    {"tp2/layout:channel", "cnn-fashion"},
    {"tp3/layout:channel", "mlp-digits"},
    {"dp2/layout:one_weird_trick", "cnn-fashion"},
    {"dp3/layout:one_weird_trick", "cnn-fashion", {"batch=10"}},
    {"dp4/layout:one_weird_trick/accum:m=3", "cnn-fashion", {"batch=14"}},
    {"dp3/layout:one_weird_trick", "alexnet", {"batch=7", "steps=20", "dropout=0.3"}},
    {"dp2/layout:one_weird_trick", "vgg16", {"steps=20", "dropout=0.3"}},
    {"dp2/layout:one_weird_trick", "mlp-digits", {"dropout=0.2"}},
    {"dp5/layout:one_weird_trick", "mlp-digits", {"batch=3"}},
    {"dp2/layout:one_weird_trick", "gpt-austen"},
    {"dp2.tp2/layout:one_weird_trick", "cnn-fashion", {"steps=40"}},
    {"dp2.h2/layout:one_weird_trick", "cnn-fashion", {"steps=40"}},
    {"pp2.dp2/layout:one_weird_trick/1f1b:m=3", "cnn-fashion", {"steps=40"}},
    {"dp2/layout:one_weird_trick/recompute:full", "cnn-fashion", {"steps=40"}},
    {"dp2/layout:one_weird_trick", "cnn-fashion", {"optimizer=lars", "lr=1", "trust=0.02", "steps=40"}},
    {"dp2/layout:dp.hidden-out.linear.fc1,dp.batch-else", "cnn-fashion"},
    {"dp2/layout:dp.chan_out-out.conv2d.conv2,dp.batch-else", "cnn-fashion"},
    {"dp3/layout:dp.chan_out-in.linear,dp.hidden-in.linear,dp.batch-else", "cnn-fashion", {"batch=10"}},
    {"dp2.tp2/layout:dp.hidden-out.linear.fc%,dp.batch-else,tp.chan_out-out.conv2d", "cnn-fashion", {"steps=40"}},
    {"h2/layout:h.height.conv2d.conv1,h.height.max_pool.pool1,h.width.conv2d.conv2", "cnn-fashion", {"steps=20"}},
    {"dp2/layout:sfb", "mlp-digits", {"dropout=0.2"}},
    {"dp5/layout:sfb", "mlp-digits", {"batch=3"}},
    {"dp3/layout:sfb", "cnn-fashion", {"batch=10", "clip=0.5"}},
    {"dp2/layout:sfb", "gpt-austen"},
    {"dp2.tp2/layout:sfb/accum:m=2", "gpt-austen", {"steps=40"}},
    {"dp2/layout:sfb", "lstm-austen"},
    {"dp2.ep2/layout:sfb", "moe-gpt", {"batch=7", "steps=40"}},
    {"pp2.dp2/layout:sfb/1f1b:m=3", "cnn-fashion", {"steps=40"}},
    {"dp2/layout:dp.whole.linear_grad_weight.fc1,dp.batch-else", "cnn-fashion"},
    {"dp2.tp2/layout:grid15d", "cnn-fashion"},
    {"dp3.tp2/layout:grid15d", "mlp-digits", {"batch=7"}},
    {"dp2.tp2/layout:grid15d", "gpt-austen"},
    // Rounding grows through batch norm from step to step, under tp2 as much: few steps.
    {"dp2/sync_bn", "resnet20", {"steps=10"}},
    {"dp4/sync_bn", "resnet20", {"batch=10", "steps=10"}},
    {"dp3/sync_bn", "resnet20", {"norm_group=501", "batch=11", "steps=10"}},
    {"h2/sync_bn", "resnet20", {"steps=10"}},
    {"w2/sync_bn", "resnet20", {"steps=10"}},
    {"dp2.h3.w2/sync_bn", "resnet20", {"batch=9", "steps=10"}},
    {"dp2.tp2/sync_bn", "resnet20", {"steps=10"}},
    {"dp2/sync_bn/zero1", "resnet20", {"batch=9", "steps=10"}},
    {"dp2/sync_bn/recompute:full", "resnet20", {"batch=9", "steps=10"}},
    {"dp2/layout:one_weird_trick/sync_bn", "resnet20", {"batch=9", "steps=10"}},
    {"dp4/sync_bn", "resnet50", {"batch=11", "steps=10"}},
    {"serial/accum:m=2", "resnet20", {"batch=11", "steps=10"}},
    {"pp2/1f1b:m=3", "resnet20", {"steps=10"}},
    {"pp2/interleaved:m=2,v=2", "resnet20", {"batch=11", "steps=10"}},
    {"pp2.h2/gpipe:m=2/recompute:full/sync_bn", "resnet20", {"steps=10"}},
    {"pp2.tp2/zb_h1:m=3", "resnet50", {"batch=11", "steps=10"}},
    {"pp2.dp2/sync_bn", "resnet20", {"batch=9", "steps=10"}},
    {"dp2/sync_bn/zero3", "resnet20", {"batch=9", "steps=10"}},
    {"dp2/accum:m=2/sync_bn", "resnet20", {"batch=9", "steps=10"}},
    {"dp4/accum:m=3/sync_bn", "resnet20", {"batch=10", "steps=10"}},
    {"dp2/accum:m=5/sync_bn", "resnet20", {"batch=9", "steps=10"}},
    {"pp2.dp2/1f1b:m=3/sync_bn", "resnet20", {"batch=9", "steps=10"}},
    {"pp2.dp2/zb_h1:m=2/sync_bn/zero1", "resnet20", {"batch=13", "steps=10"}},
    {"dp2.h2/accum:m=2/recompute:full/sync_bn/zero3", "resnet20", {"batch=9", "steps=10"}},
    {"pp2", "gpt-austen"},
    {"pp2/gpipe:m=4", "gpt-austen"},
    {"pp3/gpipe:m=5", "gpt-austen", {"layers=3"}},
    {"pp2/1f1b:m=4", "gpt-austen"},
    {"pp4/1f1b:m=6", "gpt-austen", {"layers=3"}},
    {"pp2/interleaved:m=4,v=2", "gpt-austen", {"layers=3"}},
    {"pp2/zb_h1:m=4", "gpt-austen"},
    {"pp3/zb_h2:m=6", "gpt-austen", {"layers=3"}},
    {"pp2/gems:m=4", "gpt-austen"},
    {"pp2/arrival:m=4", "gpt-austen"},
    {"pp3.dp2/arrival:m=3", "gpt-austen", {"layers=3", "steps=40"}},
    {"pp2/chimera:m=4", "gpt-austen"},
    {"pp4/chimera:m=4", "gpt-austen", {"layers=3"}},
    {"pp2/1f1b:m=4/stages:equal", "gpt-austen"},
    {"pp3/1f1b:m=4/stages:b0.ln2,ln", "gpt-austen", {"steps=40"}},
    {"pp2.dp2/1f1b:m=3", "gpt-austen"},
    {"pp2.tp2/1f1b:m=3", "gpt-austen"},
    {"pp2.tp2/1f1b:m=3/sp", "gpt-austen"},
    {"pp2.cp2/gpipe:m=2", "gpt-austen"},
    {"pp2.dp2.tp2/1f1b:m=3/zero1", "gpt-austen"},
    // Tied weights on two stages, and all weights on two replicas of each stage, in shards.
    {"pp2.dp2/1f1b:m=3/zero2", "gpt-austen"},
    {"pp2.dp2/1f1b:m=3/zero3", "gpt-austen"},
    {"pp2.dp3/zb_h1:m=4/zero3", "gpt-austen", {"steps=40"}},
    {"pp2.dp2/interleaved:m=2,v=2/prefetch:1/zero3", "gpt-austen", {"layers=3", "steps=40"}},
    {"pp2.dp2/chimera:m=4/zero2", "gpt-austen", {"steps=40"}},
    {"pp2.dp2/chimera:m=4/zero3", "gpt-austen", {"steps=40"}},
    {"pp2.dp2/gems:m=3/zero3", "mlp-digits", {"batch=5"}},
    {"pp2.dp2/gems:m=1/zero2", "mlp-digits"},
    {"pp2.dp4/1f1b:m=2/hsdp:group=2", "gpt-austen", {"steps=40"}},
    {"pp2.dp2.tp2/1f1b:m=2/sp/zero2", "gpt-austen", {"steps=40"}},
    {"pp3.dp2/1f1b:m=3/recompute:full/zero3", "gpt-austen", {"optimizer=lamb", "layers=3", "steps=40"}},
    {"pp2/1f1b:m=4", "lstm-austen"},
    {"pp2.dp2/1f1b:m=2/zero3", "lstm-austen"},
    {"pp2/zb_h1:m=3", "lstm-austen"},
    {"pp2/1f1b:m=4", "mlp-digits", {"batch=3", "dropout=0.2"}},
    {"pp3/1f1b:m=4", "mlp-fashion"},
    {"pp2.dp2/chimera:m=4", "mlp-digits"},
    {"pp2/1f1b:m=4", "cnn-fashion"},
    {"pp2.h2/gpipe:m=2", "cnn-fashion"},
    {"serial/recompute:full", "gpt-austen"},
    {"serial/recompute:selective", "gpt-austen"},
    {"serial/recompute:sqrt", "gpt-austen", {"layers=3"}},
    {"serial/recompute:every=2", "gpt-austen", {"layers=3"}},
    {"serial/recompute:full", "lstm-austen"},
    {"serial/recompute:full", "cnn-fashion"},
    {"serial/recompute:every=2", "mlp-digits", {"dropout=0.2"}},
    {"tp2/recompute:full/sp", "gpt-austen"},
    {"dp2.cp2/recompute:selective", "gpt-austen"},
    {"pp2/zb_h1:m=4/recompute:full", "gpt-austen"},
    {"dp2/recompute:full/zero3", "gpt-austen"},
    {"pp2.dp2.tp2/1f1b:m=3/recompute:full/sp/zero1", "gpt-austen"},
    {"pp2.dp2.tp2/1f1b:m=4/recompute:full/sp/zero1", "gpt-austen", {"batch=16", "steps=20"}},
    {"dp2.cp2.tp2/recompute:selective/sp/zero3", "gpt-austen", {"steps=20"}},
    {"pp2.dp2.cp2/zb_h1:m=3/zero1", "gpt-austen", {"steps=20"}},
    {"pp2.dp2.tp2/chimera:m=4/sp", "gpt-austen", {"steps=20"}},
    {"dp2.h2.w2/accum:m=2/zero2", "cnn-fashion", {"steps=20"}},
    {"dp2.tp2/sp/zero1", "gpt-austen", {"optimizer=lamb", "lr=0.01"}},
    {"pp2.dp2/1f1b:m=2/zero1", "gpt-austen", {"optimizer=lars", "lr=1", "momentum=0.9", "trust=0.02"}},
    {"dp3/zero3", "lstm-austen", {"optimizer=lamb", "lr=0.01", "clip=0.5"}},
    {"tp2", "cnn-fashion", {"optimizer=lars", "lr=1", "trust=0.02"}},
    {"dp3", "moe-gpt", {"choices=2"}},
    {"tp2/sp", "moe-gpt", {"choices=2", "group=6"}},
    {"cp3", "moe-gpt"},
    {"pp3.dp2/1f1b:m=3/recompute:full", "moe-gpt", {"choices=2", "steps=40"}},
    {"pp2.tp2/zb_h1:m=4", "moe-gpt", {"group=6", "steps=40"}},
    {"ep2", "moe-gpt"},
    {"ep2", "moe-gpt", {"choices=2"}},
    {"ep3", "moe-gpt", {"experts=5", "batch=7"}},
    {"ep4", "moe-gpt", {"choices=2", "batch=10", "group=6", "steps=40"}},
    {"dp2.ep2", "moe-gpt", {"batch=7"}},
    {"ep2.dp3", "moe-gpt", {"steps=40"}},
    {"ep2.tp2/sp", "moe-gpt", {"choices=2", "steps=40"}},
    {"dp2.ep2/accum:m=3", "moe-gpt", {"batch=5", "steps=40"}},
    {"dp2.ep2/bucket:1kB/zero1", "moe-gpt", {"steps=40"}},
    {"dp2.ep2/zero2", "moe-gpt", {"batch=3", "steps=40"}},
    {"dp2.ep2/zero3", "moe-gpt", {"choices=2", "steps=40"}},
    {"cp2.ep2", "moe-gpt", {"choices=2", "steps=40"}},
    {"pp2.ep2/1f1b:m=3", "moe-gpt", {"batch=7"}},
    {"pp2.ep2/zb_h1:m=4", "moe-gpt", {"choices=2", "steps=40"}},
    {"pp2.ep2/chimera:m=2/recompute:full", "moe-gpt", {"steps=40"}},
    {"pp2.dp2.ep2/1f1b:m=3/zero1", "moe-gpt", {"choices=2", "steps=20"}},
    {"ep2.cp2.tp2/recompute:selective/sp", "moe-gpt", {"steps=20"}},
    {"dp2.ep2", "moe-gpt", {"optimizer=lamb", "lr=0.01", "batch=7", "steps=40"}},
    {"dp3", "dlrm"},
    {"tp2", "dlrm"},
    {"pp2/1f1b:m=4", "dlrm"},
    {"ep2", "dlrm"},
    {"ep4", "dlrm", {"batch=10", "clip=0.5"}},
    {"ep6", "dlrm", {"batch=3"}},
    {"dp2.ep3/zero1", "dlrm", {"batch=7", "optimizer=adamw", "lr=0.01"}},
    {"dp2.ep2/accum:m=3/zero3", "dlrm"},
    {"ep3.tp2", "dlrm"},
    {"pp2.ep2/1f1b:m=3/recompute:full", "dlrm", {"batch=7"}},
    {"dp2/zero1", "gpt-austen"},
    {"dp3/zero1/bucket:1kB", "gpt-austen"},
    {"dp2/zero2", "gpt-austen"},
    {"dp3/zero2/bucket:2kB/accum:m=2", "gpt-austen"},
    {"dp2/zero3", "gpt-austen"},
    {"dp3/zero3/accum:m=2", "gpt-austen"},
    {"dp2.tp2/zero1/sp", "gpt-austen"},
    {"dp2.tp2/zero3/sp", "gpt-austen"},
    {"tp2/recompute:full/partition_activations", "gpt-austen"},
    {"tp3/recompute:full/partition_activations", "gpt-austen", {"heads=4", "ffn=50"}},
    {"dp2.tp2/accum:m=2/recompute:selective/partition_activations/sp", "gpt-austen", {"steps=40"}},
    {"pp2.tp2/zb_h1:m=3/recompute:full/partition_activations", "gpt-austen", {"steps=40"}},
    {"tp2.dp2/recompute:full/partition_activations/zero3", "gpt-austen", {"steps=40"}},
    {"cp2.tp2/recompute:full/partition_activations", "gpt-austen", {"steps=40"}},
    {"tp2/recompute:full/partition_activations", "cnn-fashion", {"steps=40"}},
    {"serial/offload:disk", "gpt-austen"},
    {"dp2/offload:disk/zero1", "gpt-austen"},
    {"pp2.dp2/1f1b:m=2/offload:disk/zero3", "lstm-austen"},
    {"tp2/offload:disk", "gpt-austen", {"optimizer=lamb", "lr=0.01"}},
    {"dp2/zero3/prefetch:1", "gpt-austen"},
    {"dp3/zero3/prefetch:2/accum:m=2", "gpt-austen"},
    {"dp3/recompute:full/zero3/prefetch:100", "gpt-austen"},
    {"dp5/zero3/prefetch:1", "mlp-digits", {"batch=3"}},
    {"dp4/hsdp:group=2/prefetch:1", "gpt-austen"},
    {"pp2.dp2/zb_h1:m=3/zero3/prefetch:1", "lstm-austen"},
    {"dp4/hsdp:group=2", "gpt-austen"},
    {"dp4/hsdp:group=2,level=1", "gpt-austen"},
    {"dp4/hsdp:group=2,level=1/bucket:1kB/accum:m=3", "gpt-austen"},
    {"dp4/hsdp:group=2,level=2/bucket:2kB/accum:m=2", "gpt-austen"},
    {"dp6/hsdp:group=3/accum:m=2", "lstm-austen"},
    {"dp6/hsdp:group=2", "mlp-digits", {"batch=4"}},
    {"dp4/hsdp:group=4", "cnn-fashion"},
    {"dp4.tp2/hsdp:group=2/sp", "gpt-austen", {"steps=40"}},
    {"dp4.cp2/hsdp:group=2,level=2", "gpt-austen", {"steps=40"}},
    {"pp2.dp4/1f1b:m=2/hsdp:group=2", "lstm-austen", {"steps=40"}},
    {"pp2.dp4/1f1b:m=3/hsdp:group=2,level=1", "gpt-austen", {"steps=40"}},
    {"dp4/hsdp:group=2,level=1", "gpt-austen", {"optimizer=lamb", "lr=0.01"}},
    {"dp5/zero2", "mlp-digits", {"batch=3"}},
    {"dp5/zero3", "mlp-digits", {"batch=3"}},
    {"dp2/zero3", "lstm-austen"},
    {"dp2/zero3", "cnn-fashion"},
    {"tp2", "cnn-fashion"},
    {"tp3.dp2", "cnn-fashion"},
    {"dp3/amp:bf16", "mlp-digits", {"steps=40"}},
    {"dp2/amp:fp16", "gpt-austen", {"steps=40"}},
    {"tp2/amp:bf16/sp", "gpt-austen", {"steps=40"}},
    {"tp2/amp:bf16/sp", "vit", {"steps=40"}},
    {"cp2.tp2/amp:fp16", "gpt-austen", {"steps=40"}},
    {"dp2.tp2/amp:bf16/recompute:selective/zero3", "gpt-austen", {"steps=40"}},
    {"pp2.dp2/1f1b:m=3/amp:fp16/zero1", "gpt-austen", {"steps=40"}},
    {"tp2/amp:bf16/recompute:full/partition_activations", "gpt-austen", {"steps=40"}},
    {"tp2/amp:bf16", "lstm-austen", {"steps=20"}},
    {"h2.w2/amp:bf16", "cnn-fashion", {"steps=20"}},
    {"dp3/amp:bf16/layout:one_weird_trick", "cnn-fashion", {"batch=10", "steps=20"}},
    {"dp4/amp:bf16/sync_bn", "resnet20", {"batch=10", "steps=10"}},
    {"dp2.ep2/amp:bf16", "moe-gpt", {"choices=2", "batch=7", "steps=40"}},
    {"dp2.ep3/amp:fp16/zero1", "dlrm", {"batch=7", "steps=40"}},
    {"tp2/amp:bf16", "bert", {"steps=20"}},
    {"dp2/amp:bf16", "alexnet", {"dropout=0.3", "steps=10"}},
};

class Layouts : public testing::TestWithParam<Row> {};

TEST_P(Layouts, EqualSerialInFp64) {
  std::string missing;
  const auto setting = setting_of(GetParam().workload, GetParam().arguments, missing);
  if (!setting) GTEST_SKIP() << missing;
  const TrainingRun& serial = setting->serial_run(GetParam().strategy);
  const TrainingRun run = setting->train_on_threads<double>(GetParam().strategy, "naive");
  const auto& workload = setting->workload();
  ASSERT_EQ(run.parameters.size(), serial.parameters.size());
  EXPECT_LT(largest_loss_difference(serial, run), kBound);
  EXPECT_LT(largest_norm_difference(serial, run), kBound);
  EXPECT_EQ(serial.dropped, run.dropped);
  EXPECT_LT(largest_difference(serial, run, workload.recipe.lr * static_cast<double>(workload.steps)), kBound);
}

std::string name_of(const Row& row) { return test_name({row.strategy, row.workload}, row.arguments); }

INSTANTIATE_TEST_SUITE_P(All, Layouts, testing::ValuesIn(kRows), [](const auto& info) { return name_of(info.param); });

class LayoutsOnFastKernels : public testing::TestWithParam<Row> {};

/// fp32 on the fast kernels stays near fp64 on the oracle, however the model is split.
TEST_P(LayoutsOnFastKernels, FollowTheOracle) {
  const kernels::KernelSet& fast = kernels::kernel_set("auto", kernels::Precision::fp32);
  std::string missing;
  const auto setting = setting_of(GetParam().workload, GetParam().arguments, missing);
  if (!setting) GTEST_SKIP() << missing;
  const TrainingRun& serial = setting->serial_run(GetParam().strategy);
  const TrainingRun run = setting->train_on_threads<float>(GetParam().strategy, std::string(fast.name));
  for (size_t i = 0; i < 10; ++i) EXPECT_NEAR(run.losses[i], serial.losses[i], 1e-3 * serial.losses[i]) << "step " << i;
  EXPECT_NEAR(run.losses.back(), serial.losses.back(), 1e-2 * serial.losses.front());
}

const Row kFastRows[] = {{"tp2/sp", "gpt-austen"},
                         {"cp2.tp2", "gpt-austen"},
                         {"dp2/zero3", "gpt-austen"},
                         {"dp2.tp2", "moe-gpt"},
                         {"dp2.ep2", "moe-gpt", {"batch=7"}},
                         {"dp2.ep2", "dlrm", {"batch=7"}},
                         {"tp2", "cnn-fashion"},
                         {"dp3/layout:one_weird_trick", "cnn-fashion", {"batch=10"}},
                         {"dp3/layout:one_weird_trick", "alexnet", {"batch=10", "dropout=0.3"}},
                         {"dp2/layout:sfb", "gpt-austen"},
                         {"dp4/sync_bn", "resnet20", {"batch=10", "steps=10", "lr=0.001"}},
                         {"dp2/zero3", "cnn-fashion"},
                         {"tp2", "lstm-austen"},
                         {"tp2", "mlp-digits", {"dropout=0.2"}},
                         {"tp2/amp:bf16/sp", "gpt-austen"},
                         {"pp2/1f1b:m=2/amp:fp16", "gpt-austen"},
                         {"h2/amp:bf16", "cnn-fashion", {"steps=20"}},
                         {"dp2/amp:fp16/recompute:full", "cnn-fashion", {"steps=20"}},
                         {"dp2/amp:bf16", "lstm-austen"}};

INSTANTIATE_TEST_SUITE_P(All, LayoutsOnFastKernels, testing::ValuesIn(kFastRows),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace lockstep::conformance
