#include "reference_trainer/plan/stages/cut.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/plan/workload_graph.h"

namespace lockstep::stages {
namespace {

using plan::kWorkloads;
using plan::workload_graph;

int32_t op_named(const graph::Graph& graph, std::string_view name) {
  const auto found = std::ranges::find(graph.ops, name, &graph::Op::name);
  EXPECT_NE(found, graph.ops.end()) << name;
  return static_cast<int32_t>(found - graph.ops.begin());
}

std::vector<std::string> names_of(const graph::Graph& graph, const std::vector<graph::TensorId>& tensors) {
  std::vector<std::string> out;
  for (const graph::TensorId id : tensors) out.push_back(graph.tensor(id).name);
  return out;
}

TEST(Cuts, ResidualsCrossInsideABlockAndOneTensorBetweenBlocks) {
  const graph::Graph graph = workload_graph("gpt-austen");
  EXPECT_EQ(names_of(graph, border_tensors(graph, op_named(graph, "b1.ln1"))), (std::vector<std::string>{"b0.out"}));
  EXPECT_EQ(names_of(graph, border_tensors(graph, op_named(graph, "b0.att"))),
            (std::vector<std::string>{"pos", "b0.qkv"}));
}

TEST(Cuts, LegalOnesCarryRealActivationsAndKeepFusedPairsTogether) {
  for (const char* id : kWorkloads) {
    const graph::Graph graph = workload_graph(id);
    const std::vector<int32_t> cuts = legal_cuts(graph);
    EXPECT_GE(cuts.size(), 2u) << id;
    for (const int32_t cut : cuts) {
      const graph::Op& after = graph.ops[static_cast<size_t>(cut)];
      const graph::Op& before = graph.ops[static_cast<size_t>(cut) - 1];
      EXPECT_FALSE(before.kind == graph::OpKind::linear && after.kind == graph::OpKind::relu)
          << id << " " << after.name;
      for (const graph::TensorId tensor : border_tensors(graph, cut)) {
        EXPECT_EQ(graph.tensor(tensor).role, graph::Role::activation) << id;
        EXPECT_TRUE(graph::has_batch(graph.tensor(tensor).shape)) << id;
      }
    }
  }
}

TEST(Cuts, NoneBeforeTheFirstParameter) {
  for (const char* id : kWorkloads) {
    const graph::Graph graph = workload_graph(id);
    const auto reads_parameter = [&](const graph::Op& op) {
      return std::ranges::any_of(op.in,
                                 [&](graph::TensorId t) { return graph.tensor(t).role == graph::Role::parameter; });
    };
    const auto first = std::ranges::find_if(graph.ops, reads_parameter) - graph.ops.begin();
    EXPECT_GT(legal_cuts(graph).front(), first) << id;
  }
}

TEST(Cuts, StageOfAnOp) {
  const Cut cut{{0, 3, 5}};
  EXPECT_EQ(cut.stage_of(0), 0);
  EXPECT_EQ(cut.stage_of(2), 0);
  EXPECT_EQ(cut.stage_of(3), 1);
  EXPECT_EQ(cut.stage_of(9), 2);
}

}  // namespace
}  // namespace lockstep::stages
