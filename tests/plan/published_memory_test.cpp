// Planned memory against the published formulas: ZeRO's table of model state, and what a transformer layer keeps for
// backward.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference_trainer/plan/describe.h"
#include "reference_trainer/plan/peak.h"
#include "tests/plan/workload_graph.h"

namespace lockstep::plan {
namespace {

/// GPT-2's graph in other sizes.
graph::Graph gpt(const std::vector<std::string>& arguments) {
  return graph::build(workloads::resolve(LOCKSTEP_SOURCE_DIR "/workloads", "gpt2", "paper", arguments).json());
}

MemoryPlan memory_of(const graph::Graph& graph, const std::string& strategy, int64_t batch) {
  return peak_memory(make_plan(graph, text::parse_strategy(strategy), {4, true, 0}), {batch, 4, 2, true});
}

struct ZeroRow {
  int ranks, level;
  double gigabytes;
};

/// Rajbhandari et al. 2020, table 1: 7.5 B parameters, 2 bytes each of parameter and gradient, 12 of optimizer state.
/// Ours are 4, 4 and 8 bytes in fp32; what is the same is the part of each that a rank holds.
TEST(PublishedMemory, ModelStateIsThatOfZerosTable) {
  const graph::Graph graph = gpt({"width=4096", "layers=36", "heads=32"});
  const auto count = static_cast<double>(graph::parameter_count(graph));
  ASSERT_NEAR(count, 7.5e9, 0.01 * 7.5e9);
  const MemoryPlan whole = memory_of(graph, "dp4", 64);
  ASSERT_NEAR(static_cast<double>(whole.parameters), 4 * count, 4);  // the control slot
  for (const ZeroRow& row :
       {ZeroRow{64, 0, 120}, ZeroRow{64, 1, 31.4}, ZeroRow{64, 2, 16.6}, ZeroRow{64, 3, 1.88}, ZeroRow{4, 1, 52.5},
        ZeroRow{4, 2, 41.3}, ZeroRow{4, 3, 30}, ZeroRow{16, 1, 35.6}, ZeroRow{16, 2, 21.6}, ZeroRow{16, 3, 7.5}}) {
    const std::string strategy = fmt::format("dp{}{}", row.ranks, row.level ? fmt::format("/zero{}", row.level) : "");
    const MemoryPlan plan = memory_of(graph, strategy, 64);
    const auto part = [](int64_t of, int64_t all) { return static_cast<double>(of) / static_cast<double>(all); };
    const double bytes = 2 * part(plan.parameters, whole.parameters) + 2 * part(plan.gradients, whole.gradients) +
                         12 * part(plan.optimizer, whole.optimizer);
    EXPECT_NEAR(7.5 * bytes, row.gigabytes, 0.005 * row.gigabytes + 0.05) << strategy;
  }
}

constexpr int64_t kSeq = 64, kBatch = 2, kHeads = 8, kWidth = 64;

/// Bytes of activations that one more layer adds to a rank's peak.
int64_t bytes_a_layer(const std::string& strategy) {
  const auto with_layers = [&](int layers) {
    return memory_of(gpt({fmt::format("layers={}", layers), fmt::format("seq={}", kSeq),
                          fmt::format("width={}", kWidth), fmt::format("heads={}", kHeads), "vocab=64"}),
                     strategy, kBatch)
        .activations;
  };
  return with_layers(9) - with_layers(8);
}

/// Korthikanti et al. 2022, table 2, in bytes a layer of s b h: 34 + 5 a s/h, over t tensor-parallel ranks 10 + 24/t +
/// 5 a s/(h t), with sequence parallelism (34 + 5 a s/h)/t, with selective recomputation 34/t, with full
/// recomputation 2. Ours has no masks of dropout, which are made again from their seed (2 for both of a layer), nor
/// dropout on the probabilities (3 a s/h), and keeps these as 4 bytes; and it keeps each norm's mean and deviation.
TEST(PublishedMemory, ActivationsOfALayerAreThoseOfTheFormulas) {
  const int64_t sbh = kSeq * kBatch * kWidth, scores = 4 * kHeads * kSeq * kSeq * kBatch, norms = 4 * 4 * kSeq * kBatch;
  EXPECT_EQ(bytes_a_layer("serial/amp:bf16"), 32 * sbh + scores + norms);
  for (const int64_t t : {2, 4}) {
    const std::string tp = fmt::format("tp{}", t);
    EXPECT_EQ(bytes_a_layer(tp + "/amp:bf16"), 8 * sbh + 24 * sbh / t + scores / t + norms) << tp;
    EXPECT_EQ(bytes_a_layer(tp + "/amp:bf16/sp"), (32 * sbh + scores + norms) / t) << tp;
    EXPECT_EQ(bytes_a_layer(tp + "/amp:bf16/recompute:selective/sp"), (32 * sbh + norms) / t) << tp;
  }
  EXPECT_EQ(bytes_a_layer("serial/amp:bf16/recompute:full"), 2 * sbh);
}

}  // namespace
}  // namespace lockstep::plan
