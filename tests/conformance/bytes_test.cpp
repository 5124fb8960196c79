// What a plan says a rank sends in a step is what it sends: every byte on the wire, on every rank.
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "reference_trainer/comm/run_ranks.h"
#include "reference_trainer/plan/traffic.h"
#include "tests/conformance/training_run.h"
#include "tests/test_name.h"

namespace lockstep::conformance {
namespace {

struct BytesRow {
  const char* strategy;
  const char* workload;
  std::vector<std::string> arguments = {};
};

void PrintTo(const BytesRow& row, std::ostream* out) { *out << row.strategy << " on " << row.workload; }

/// Every kind of communication, alone and beside others; shares and microbatches that are not equal; fewer samples than
/// ranks; each algorithm of the gradients.
const BytesRow kBytesRows[] = {
    {"dp2", "mlp-digits"},
    {"dp3", "gpt-austen"},
    {"dp4@ring", "gpt-austen"},
    {"dp3@ring", "gpt-austen"},
    {"dp3@rabenseifner", "mlp-digits"},
    {"dp4@tree", "mlp-digits"},
    {"dp3@direct", "mlp-digits"},
    {"dp2@native", "mlp-digits"},
    {"dp3/bucket:1kB", "gpt-austen"},
    {"dp5/accum:m=4", "gpt-austen"},
    {"dp5", "mlp-digits", {"batch=3"}},
    {"dp2/zero1", "gpt-austen"},
    {"dp3/zero1/bucket:1kB", "gpt-austen"},
    {"dp3/zero2/accum:m=2", "gpt-austen"},
    {"dp3/zero3/accum:m=2", "gpt-austen"},
    {"dp5/zero2", "mlp-digits", {"batch=3"}},
    {"dp5/zero3", "mlp-digits", {"batch=3"}},
    {"dp2/zero3", "cnn-fashion"},
    {"dp3/zero3/prefetch:2/accum:m=2", "gpt-austen"},
    {"tp3/recompute:full/partition_activations", "gpt-austen", {"heads=4", "ffn=50"}},
    {"dp4/hsdp:group=2", "gpt-austen"},
    {"dp4/hsdp:group=2,level=1/bucket:1kB", "gpt-austen"},
    {"dp6/hsdp:group=3,level=2/accum:m=2", "gpt-austen"},
    {"dp4.cp2/hsdp:group=2", "gpt-austen"},
    {"tp2", "gpt-austen"},
    {"tp3", "gpt-austen", {"heads=4", "ffn=50"}},
    {"tp3/sp", "gpt-austen", {"heads=4", "seq=17"}},
    {"dp2.tp2/accum:m=5/sp", "gpt-austen"},
    {"dp2.tp2@ring", "gpt-austen"},
    {"tp3", "lstm-austen"},
    {"tp3.dp2", "cnn-fashion"},
    {"tp2/layout:megatron", "gpt-austen"},
    {"tp2/layout:vocab", "gpt-austen"},
    {"tp2/layout:filter", "cnn-fashion"},
    {"tp3/layout:channel", "mlp-digits"},
    {"dp3/layout:one_weird_trick", "cnn-fashion", {"batch=10"}},
    {"dp3/layout:one_weird_trick", "alexnet", {"batch=7", "dropout=0.3"}},
    {"dp5/layout:one_weird_trick", "mlp-digits", {"batch=3"}},
    {"pp2.dp2/layout:one_weird_trick/1f1b:m=3", "cnn-fashion"},
    {"dp3/layout:sfb", "cnn-fashion", {"batch=10"}},
    {"dp2/layout:sfb", "gpt-austen"},
    {"dp3.tp2/layout:grid15d", "mlp-digits", {"batch=7"}},
    {"dp2/sync_bn", "resnet20"},
    {"dp4/sync_bn", "resnet20", {"batch=10"}},
    {"dp2/accum:m=3/sync_bn", "resnet20", {"batch=9"}},
    {"pp2.dp4/1f1b:m=2/sync_bn", "resnet20", {"batch=10"}},
    {"dp2.h2/layout:h.height-plain-fits.conv2d/sync_bn", "resnet20", {"batch=9"}},
    {"cp3", "gpt-austen", {"seq=17"}},
    {"dp2.cp2.tp2/sp/zero1", "gpt-austen"},
    {"dp2.cp2/zero3", "gpt-austen"},
    {"h3", "cnn-fashion"},
    {"h2.w2", "cnn-fashion", {"kernel=5", "pad=2"}},
    {"h7", "cnn-fashion"},
    {"dp2.w2/zero2", "cnn-fashion"},
    {"pp2", "gpt-austen"},
    {"pp2/gpipe:m=5", "gpt-austen"},
    {"pp3/1f1b:m=4", "mlp-fashion"},
    {"pp2/1f1b:m=4", "mlp-digits", {"batch=3"}},
    {"pp2/interleaved:m=4,v=2", "gpt-austen", {"layers=3"}},
    {"pp2/zb_h1:m=3", "lstm-austen"},
    {"pp3/zb_h2:m=6", "gpt-austen", {"layers=3"}},
    {"pp2/gems:m=4", "gpt-austen"},
    {"pp2.dp2/arrival:m=4", "gpt-austen"},
    {"dp2.tp2/recompute:full", "gpt-austen"},
    {"dp2.cp2/recompute:selective/zero3", "gpt-austen"},
    {"pp4/chimera:m=4", "gpt-austen", {"layers=3"}},
    {"pp2.dp2.tp2/1f1b:m=8/zero1", "gpt-austen"},
    {"pp2.dp2/1f1b:m=2/zero3", "lstm-austen"},
    {"pp2.dp3/1f1b:m=2/zero2", "gpt-austen"},
    {"pp2.dp2/1f1b:m=2/zero3", "gpt-austen"},
    {"pp2.dp2/chimera:m=2/zero3", "gpt-austen"},
    {"pp2.tp2/1f1b:m=3/sp", "gpt-austen"},
    {"pp2.cp2/gpipe:m=2", "gpt-austen"},
    {"pp3/pipedream:weights=stash", "mlp-fashion"},
    {"pp4/pipedream:m=2,weights=vertical", "vit", {"clip=none"}},
    {"pp2.dp2/bucket:1kB/pipedream:m=3,weights=2bw", "vit", {"clip=none"}},
    {"pp2.dp4/pipedream:weights=predict", "mlp-digits", {"batch=3"}},
    {"ep2", "dlrm"},
    {"dp2.ep4/accum:m=2", "dlrm", {"batch=7"}},
    {"ep3.tp2", "dlrm"},
    {"ep2", "moe-gpt", {"choices=2"}},
    {"ep3", "moe-gpt", {"experts=5", "batch=7"}},
    {"ep2", "moe-gpt", {"batch=1"}},
    {"dp2.ep2/accum:m=3/zero1", "moe-gpt", {"batch=7"}},
    {"ep2.tp2/sp", "moe-gpt"},
    {"cp2.ep2/recompute:full", "moe-gpt"},
    {"pp2.dp2.ep2/1f1b:m=2", "moe-gpt", {"batch=7"}},
    {"pp2.dp2/1f1b:m=3/amp:bf16", "gpt-austen"},
    {"pp2/arrival:m=3/amp:fp16", "gpt-austen"},
    {"dp2.tp2/amp:fp16/sp/zero1", "gpt-austen"},
    {"cp3/amp:bf16", "gpt-austen", {"seq=17"}},
    {"h2.w2/amp:bf16", "cnn-fashion", {"kernel=5", "pad=2"}},
    {"tp2/layout:filter/amp:bf16", "cnn-fashion"},
    {"dp2.ep2/amp:bf16", "moe-gpt", {"batch=7"}},
    {"tp3/amp:bf16/recompute:full/partition_activations", "gpt-austen", {"heads=4", "ffn=50"}},
};

/// What the wire counts, and what the plan says, of one step of a rank.
struct Counted {
  int64_t sent = 0, planned = 0, planned_least = 0, control = 0;
};

/// One thread a rank. The plan is told how the transport chooses: by the same table, and its own all-reduce, which
/// counts itself by formula, for all ranks at once.
std::vector<Counted> counted_step(const Setting& setting, const std::string& strategy, int64_t step) {
  const workloads::Workload& workload = setting.workload();
  const graph::Graph graph = setting.graph();
  std::mutex mutex;
  std::vector<Counted> all(static_cast<size_t>(text::ranks(text::parse_strategy(strategy))));
  comm::run_ranks(static_cast<int>(all.size()), [&](comm::Transport& transport) {
    const plan::Plan plan = plan::make_plan(graph, text::parse_strategy(strategy), {8, true, transport.rank()});
    const workloads::SafetensorsFile data(setting.data()), order(setting.order()), init(setting.init());
    const auto indices = order.at("indices").values<int64_t>(), offsets = order.at("offsets").values<int64_t>();
    comm::Communicator communicator(transport);
    const auto precision = kernels::Precision::fp64;
    train::Trainer<double> trainer(plan, workload, data, communicator,
                                   {{&kernels::kernel_set("naive", precision), precision, 1}, nullptr, 1});
    trainer.state().load_parameters(init);
    const auto ids = [&](int64_t s) {
      const auto begin = static_cast<size_t>(offsets[static_cast<size_t>(s)]),
                 end = static_cast<size_t>(offsets[static_cast<size_t>(s) + 1]);
      return indices.subspan(begin, end - begin);
    };
    // Of a pipeline without a flush a step in its middle counts: full, and not yet draining.
    const int64_t before = plan.flushes() ? 0 : plan.mesh.ranks();
    trainer.begin({step, step + 2 * before + 1, ids});
    for (int64_t s = 0; s < before; ++s) trainer.step();
    const train::StepResult result = trainer.step();
    for (int64_t s = 0; s < before; ++s) trainer.step();

    const plan::Work work{static_cast<int64_t>(ids(step + before).size()), 8, 0, workload.recipe.clip.has_value()};
    const plan::Choice choice = [&](collective::Operation operation, int ranks, int64_t bytes, bool everyone) {
      return comm::choose_algorithm(operation, ranks, bytes, everyone && transport.native_all_reduce());
    };
    const auto exact = plan::communications(plan, work, choice);
    Counted counted;
    counted.sent = result.bytes_sent;
    counted.planned = plan::sent_in_all(exact, true);
    counted.planned_least = plan::sent_in_all(plan::communications(plan, work), true);
    counted.control = counted.planned - plan::sent_in_all(exact, false);
    communicator.barrier("end of the step");
    const std::lock_guard lock(mutex);
    all[static_cast<size_t>(transport.rank())] = counted;
  });
  return all;
}

class BytesOnTheWire : public testing::TestWithParam<BytesRow> {};

/// To the byte, with the control values (whether all losses are finite, norms for clipping), which tables leave out.
TEST_P(BytesOnTheWire, EqualThePlans) {
  std::string missing;
  const auto setting = setting_of(GetParam().workload, GetParam().arguments, missing);
  if (!setting) GTEST_SKIP() << missing;
  const std::vector<Counted> ranks = counted_step(*setting, GetParam().strategy, 0);
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    EXPECT_EQ(ranks[rank].sent, ranks[rank].planned) << "rank " << rank;
    EXPECT_GT(ranks[rank].planned, ranks[rank].control) << "rank " << rank << " sends nothing but control values";
  }
}

/// Pages charge the least that any algorithm sends; ranks together never send less (but for bytes cut off by rounding).
TEST_P(BytesOnTheWire, AreNoLessThanTheLeastOnAverage) {
  std::string missing;
  const auto setting = setting_of(GetParam().workload, GetParam().arguments, missing);
  if (!setting) GTEST_SKIP() << missing;
  double sent = 0, least = 0;
  for (const Counted& rank : counted_step(*setting, GetParam().strategy, 0)) {
    sent += static_cast<double>(rank.sent);
    least += static_cast<double>(rank.planned_least);
  }
  EXPECT_GE(sent, 0.999 * least);
}

std::string bytes_row_name(const testing::TestParamInfo<BytesRow>& info) {
  return test_name({info.param.strategy, info.param.workload}, info.param.arguments);
}

INSTANTIATE_TEST_SUITE_P(All, BytesOnTheWire, testing::ValuesIn(kBytesRows), bytes_row_name);

/// Techniques A1.10: a mixture-of-experts layer has four all_to_alls a step, two forward and two backward, and each
/// moves (p-1)/p of [samples, experts, capacity, hidden].
TEST(ExpertParallel, SendsFourAllToAllsALayer) {
  std::string missing;
  const auto setting = setting_of("moe-gpt", {"batch=8"}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const plan::Plan plan = plan::make_plan(setting->graph(), text::parse_strategy("ep4"), {8, true, 1});
  int64_t calls = 0;
  for (const plan::Communication& entry : plan::communications(plan, {8, 8, 0, false})) {
    if (entry.operation != "all_to_all") continue;
    calls += entry.calls;
    EXPECT_EQ(entry.bytes, 2 * 4 * 4 * 12 * 8) << "2 samples a rank, 4 experts, ceil(1.25 x 12 / 4) places, 12 wide";
    EXPECT_EQ(entry.sent, entry.bytes / 4 * 3);
  }
  EXPECT_EQ(calls, 4 * 2) << "in two layers";
}

/// What crosses a border of a pipeline takes two bytes a number in place of a real one's eight.
TEST(MixedPrecision, BordersCarrySixteenBits) {
  std::string missing;
  const auto setting = setting_of("gpt-austen", {}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const auto sent = [&](const char* strategy, const char* operation) {
    const plan::Plan plan = plan::make_plan(setting->graph(), text::parse_strategy(strategy), {8, true, 0});
    int64_t bytes = 0;
    for (const plan::Communication& entry : plan::communications(plan, {8, 8, 0, false})) {
      const bool of_border = entry.operation == operation && entry.what == "activations, gradients";
      if (of_border) bytes += entry.calls * entry.sent;
    }
    return bytes;
  };
  EXPECT_GT(sent("pp2/gpipe:m=2", "send"), 0);
  EXPECT_EQ(sent("pp2/gpipe:m=2", "send"), 4 * sent("pp2/gpipe:m=2/amp:bf16", "send"));
}

/// Hybrid parallelism (Naumov et al. 2019): ids go to their tables, pooled rows come back, their gradients go there.
TEST(EmbeddingTables, SendThreeAllToAllsAStep) {
  std::string missing;
  const auto setting = setting_of("dlrm", {"batch=8"}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const plan::Plan plan = plan::make_plan(setting->graph(), text::parse_strategy("ep2"), {8, true, 0});
  int64_t calls = 0, sent = 0;
  for (const plan::Communication& entry : plan::communications(plan, {8, 8, 0, false})) {
    if (entry.operation == "all_to_all") calls += entry.calls, sent += entry.calls * entry.sent;
  }
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(sent, 4 * 6 / 2 * (2 * 4 + 2 * 4 * 8)) << "4 samples, half of 6 tables: 2 ids of 4 bytes; twice 4 numbers";
}

/// What a rank sends in a step over dp and tp, as activations and as gradients, in numbers.
struct Sent {
  int64_t activations = 0, gradients = 0;
};

Sent sent_by(const Setting& setting, const std::string& strategy, int64_t batch) {
  const plan::Plan plan = plan::make_plan(setting.graph(), text::parse_strategy(strategy), {8, true, 0});
  Sent sent;
  for (const plan::Communication& entry : plan::communications(plan, {batch, 8, 0, false})) {
    if (entry.control) continue;
    (entry.what == "gradients" ? sent.gradients : sent.activations) += entry.calls * entry.sent / 8;
  }
  return sent;
}

/// Techniques A1.17 (Krizhevsky 2014): what the convolutions made is gathered (again in backward, where it is read once
/// more), and its gradient scattered; no gradient of the fully connected layers is sent.
TEST(OneWeirdTrick, SendsActivationsInPlaceOfTheGradientsOfFullyConnectedLayers) {
  std::string missing;
  const auto setting = setting_of("cnn-fashion", {"hidden=16"}, missing);
  if (!setting) GTEST_SKIP() << missing;
  constexpr int64_t kRanks = 2, kBatch = 12, kFeatures = 12 * 7 * 7, kHidden = 16, kClasses = 10;
  constexpr int64_t kConvolutions = (8 * 9 + 8) + (12 * 8 * 9 + 12);
  const Sent sent = sent_by(*setting, "dp2/layout:one_weird_trick", kBatch), dp = sent_by(*setting, "dp2", kBatch);
  const int64_t at_fc1 = 3 * kBatch * kFeatures, at_fc2 = 3 * kBatch * kHidden,
                at_loss = 2 * kBatch * kClasses / kRanks;
  EXPECT_EQ(sent.activations, (at_fc1 + at_fc2 + at_loss) / kRanks);
  EXPECT_EQ(dp.activations, 0);
  constexpr int64_t kAlignment = 4 * 16;
  EXPECT_GE(sent.gradients, kConvolutions);
  EXPECT_LE(sent.gradients, kConvolutions + kAlignment);
  EXPECT_GT(dp.gradients, kConvolutions + kHidden * kFeatures);
}

/// Techniques A3.6 (Poseidon): for a layer of M outputs and N inputs the factors of all samples, K (M + N) numbers, in
/// place of M N; each rank sends its share of the samples to every other.
TEST(SufficientFactors, AreGatheredInPlaceOfTheGradientsOfLinearLayers) {
  std::string missing;
  const auto setting = setting_of("cnn-fashion", {"hidden=16"}, missing);
  if (!setting) GTEST_SKIP() << missing;
  constexpr int64_t kRanks = 3, kBatch = 12, kFeatures = 12 * 7 * 7, kHidden = 16, kClasses = 10;
  const Sent sent = sent_by(*setting, "dp3/layout:sfb", kBatch);
  const int64_t factors = kBatch * (kFeatures + kHidden) + kBatch * (kHidden + kClasses);
  EXPECT_EQ(sent.activations, factors * (kRanks - 1) / kRanks);
  EXPECT_LT(sent.gradients, 2 * ((8 * 9 + 8) + (12 * 8 * 9 + 12) + 4 * 16));
}

/// Techniques A1.22 (Gholami et al. 2018): over the axis of the weights the input of each layer but the first is
/// gathered, in backward once more, and its gradient reduced to the parts in which it was made, and the loss gathers
/// the logits; over the axis of the batch goes a tp-th of the gradients.
TEST(Grid15d, SendsActivationsOverOneAxisAndShareOfTheGradientsOverTheOther) {
  std::string missing;
  const auto setting = setting_of("cnn-fashion", {"hidden=16"}, missing);
  if (!setting) GTEST_SKIP() << missing;
  constexpr int64_t kBatch = 12, kHere = kBatch / 2, kInputs = 8 * 14 * 14 + 12 * 7 * 7 + 16, kClasses = 10;
  const Sent grid = sent_by(*setting, "dp2.tp2/layout:grid15d", kBatch), dp = sent_by(*setting, "dp2", kBatch);
  EXPECT_NEAR(static_cast<double>(grid.gradients), static_cast<double>(dp.gradients) / 2, 8 * 16);
  EXPECT_EQ(grid.activations, kHere * (3 * kInputs + kClasses) / 2);
}

/// Techniques A1.3: forward and backward of each batch norm add up, of each group and channel, how many numbers there
/// are and two sums over them.
TEST(SynchronisedBatchNorm, AddsUpThreeSumsAGroupAndChannelEachWay) {
  std::string missing;
  const auto setting = setting_of("resnet20", {}, missing);
  if (!setting) GTEST_SKIP() << missing;
  constexpr int64_t kRanks = 2, kBatch = 10, kGroup = 4, kGroups = 3;
  ASSERT_EQ((kBatch + kGroup - 1) / kGroup, kGroups);
  int64_t numbers = 0;
  const graph::Graph graph = setting->graph();
  for (const graph::Op& op : graph.ops) {
    if (op.kind != graph::OpKind::batch_norm) continue;
    ASSERT_EQ(op.attr.norm_group, kGroup);
    numbers += 2 * 3 * kGroups * graph.tensor(op.in[0]).shape[1].size;
  }
  EXPECT_EQ(sent_by(*setting, "dp2/sync_bn", kBatch).activations, numbers * 2 * (kRanks - 1) / kRanks);
}

/// The comparison can fail: a plan for another batch, or without clipping, says something else.
TEST(BytesCounted, DependOnWhatThePlanIsTold) {
  std::string missing;
  const auto setting = setting_of("gpt-austen", {}, missing);
  if (!setting) GTEST_SKIP() << missing;
  const plan::Plan plan = plan::make_plan(setting->graph(), text::parse_strategy("tp2"), {8, true, 0});
  const int64_t sent = plan::sent_in_all(plan::communications(plan, {12, 8, 0, true}), true);
  EXPECT_NE(sent, plan::sent_in_all(plan::communications(plan, {11, 8, 0, true}), true));
  EXPECT_NE(sent, plan::sent_in_all(plan::communications(plan, {12, 8, 0, false}), true));
  EXPECT_NE(sent, plan::sent_in_all(plan::communications(plan, {12, 4, 0, true}), true));
}

}  // namespace
}  // namespace lockstep::conformance
