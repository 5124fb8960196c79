// Whatever a stage's op reads is made on its stage, or comes over a border, or is the stage's own: for every workload
// and every legal cut into two and three stages.
#include "reference_trainer/plan/stages/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "reference_trainer/graph/gradients.h"
#include "reference_trainer/plan/stages/backward.h"
#include "tests/plan/workload_graph.h"

namespace lockstep::stages {
namespace {

using graph::Graph;
using graph::kNoTensor;
using graph::Role;
using graph::TensorId;
using plan::kWorkloads;
using plan::workload_graph;

std::vector<Cut> some_cuts(const Graph& graph) {
  const std::vector<int32_t> legal = legal_cuts(graph);
  std::vector<Cut> out;
  for (size_t i = 0; i < legal.size(); ++i) {
    out.push_back({{0, legal[i]}});
    for (size_t j = i + 1; j < legal.size(); ++j) out.push_back({{0, legal[i], legal[j]}});
  }
  return out;
}

void for_each_partition(const std::function<void(const Graph&, const Partition&, const std::string&)>& see) {
  for (const char* id : kWorkloads) {
    const Graph forward = workload_graph(id);
    const Graph graph = graph::differentiate(forward);
    for (const Cut& cut : some_cuts(forward)) {
      std::string label = id;
      for (const int32_t begin : cut.begins) label += " " + std::to_string(begin);
      see(graph, partition(graph, cut), label);
    }
  }
}

bool own(const graph::Tensor& tensor) {
  return tensor.role == Role::input || tensor.role == Role::parameter || tensor.role == Role::state;
}

void run_ops(const Graph& graph, const Partition& parts, const std::vector<int32_t>& ops, std::set<TensorId>& there,
             const std::string& label) {
  for (const int32_t i : ops) {
    const graph::Op& op = graph.ops[static_cast<size_t>(i)];
    for (const TensorId id : op.in) {
      EXPECT_TRUE(own(graph.tensor(id)) || there.contains(parts.resolved(id)))
          << label << ": " << op.name << " reads " << graph.tensor(id).name;
    }
    there.insert(op.out.begin(), op.out.end());
  }
}

/// Runs forward stage by stage, then backward, with nothing but what borders carry.
void run_all(const Graph& graph, const Partition& parts, bool split, const std::string& label) {
  const size_t stages = parts.stages.size();
  std::vector<std::set<TensorId>> there(stages);
  for (size_t s = 0; s < stages; ++s) {
    run_ops(graph, parts, parts.stages[s].forward, there[s], label);
    if (s + 1 == stages) break;
    for (const TensorId id : parts.borders[s].forward) {
      EXPECT_TRUE(there[s].contains(id)) << label << ": " << graph.tensor(id).name << " is not there to be sent";
      there[s + 1].insert(id);
    }
  }
  for (size_t s = stages; s-- > 0;) {
    run_ops(graph, parts, split ? parts.stages[s].input_gradient : parts.stages[s].backward, there[s], label);
    if (s == 0) break;
    for (const TensorId id : parts.borders[s - 1].backward) {
      if (id == kNoTensor) continue;
      EXPECT_TRUE(there[s].contains(id)) << label << ": " << graph.tensor(id).name << " is not there to be sent back";
      there[s - 1].insert(id);
    }
  }
  if (!split) return;
  for (size_t s = 0; s < stages; ++s) run_ops(graph, parts, parts.stages[s].weight_gradient, there[s], label);
}

TEST(StagePartition, StagesHaveAllThatTheyRead) {
  int seen = 0;
  for_each_partition([&](const Graph& graph, const Partition& parts, const std::string& label) {
    run_all(graph, parts, false, label);
    ++seen;
  });
  EXPECT_GT(seen, 100);
}

TEST(StagePartition, AllInputGradientsCanRunBeforeAnyWeightGradient) {
  for_each_partition(
      [](const Graph& graph, const Partition& parts, const std::string& label) { run_all(graph, parts, true, label); });
}

TEST(StagePartition, EveryOpIsOnOneStageAndInOnePart) {
  for_each_partition([](const Graph& graph, const Partition& parts, const std::string& label) {
    size_t listed = 0, sums = 0;
    for (const StageOps& stage : parts.stages) {
      listed += stage.forward.size() + stage.backward.size();
      EXPECT_EQ(stage.backward.size(), stage.input_gradient.size() + stage.weight_gradient.size()) << label;
    }
    for (const int32_t stage : parts.stage_of_op) sums += stage == kOwnersSum;
    EXPECT_EQ(listed + sums, graph.ops.size()) << label;
    EXPECT_TRUE(parts.stages[0].input_gradient.empty()) << label;
  });
}

TEST(StagePartition, EveryParameterHasItsGradientWhereItLies) {
  for_each_partition([](const Graph& graph, const Partition& parts, const std::string& label) {
    size_t copies = 0, owners = 0;
    for (const StageOps& stage : parts.stages) copies += stage.parameters.size();
    for (const Tied& tied : parts.tied) owners += tied.owners.size() - 1;
    EXPECT_EQ(copies, graph.parameters.size() + owners) << label;
    for (const Tied& tied : parts.tied) {
      for (size_t i = 0; i < tied.owners.size(); ++i) {
        const StageOps& stage = parts.stages[static_cast<size_t>(tied.owners[i])];
        const bool written = std::ranges::any_of(stage.backward, [&](int32_t op) {
          const auto& out = graph.ops[static_cast<size_t>(op)].out;
          return std::ranges::find(out, tied.gradients[i]) != out.end();
        });
        EXPECT_TRUE(written) << label << ": owner " << tied.owners[i];
      }
    }
  });
}

TEST(StagePartition, TheTiedHeadOfAGptHasTwoOwners) {
  const Graph graph = graph::differentiate(workload_graph("gpt-austen"));
  const auto block = std::ranges::find(graph.ops, "b1.ln1", &graph::Op::name) - graph.ops.begin();
  const Partition parts = partition(graph, {{0, static_cast<int32_t>(block)}});
  ASSERT_EQ(parts.tied.size(), 1u);
  EXPECT_EQ(graph.tensor(parts.tied[0].parameter).name, "embed.table");
  EXPECT_EQ(parts.tied[0].owners, (std::vector<int>{0, 1}));
  EXPECT_NE(parts.tied[0].gradients[0], parts.tied[0].gradients[1]);
  EXPECT_EQ(parts.stands_for.size(), 1u);
  ASSERT_EQ(parts.borders[0].backward.size(), 1u);
  EXPECT_EQ(graph.tensor(parts.borders[0].backward[0]).of, parts.borders[0].forward[0]);
}

TEST(StagePartition, WeightGradientsOfALaterStageAreWAndNormsAreI) {
  const Graph graph = graph::differentiate(workload_graph("gpt-austen"));
  const auto block = std::ranges::find(graph.ops, "b1.ln1", &graph::Op::name) - graph.ops.begin();
  const Partition parts = partition(graph, {{0, static_cast<int32_t>(block)}});
  const auto kinds = [&](const std::vector<int32_t>& ops) {
    std::set<graph::OpKind> out;
    for (const int32_t op : ops) out.insert(graph.ops[static_cast<size_t>(op)].kind);
    return out;
  };
  const auto w = kinds(parts.stages[1].weight_gradient), i = kinds(parts.stages[1].input_gradient);
  EXPECT_EQ(w, (std::set<graph::OpKind>{graph::OpKind::linear_grad_weight}));
  EXPECT_TRUE(i.contains(graph::OpKind::linear_grad_input));
  EXPECT_TRUE(i.contains(graph::OpKind::layer_norm_grad));  // makes both
  EXPECT_FALSE(i.contains(graph::OpKind::linear_grad_weight));
}

TEST(StagePartition, GradientsOfAllOpsBelongToAForwardOpOfTheirName) {
  for (const char* id : kWorkloads) {
    const Graph graph = graph::differentiate(workload_graph(id));
    const Backward backward(graph);
    for (int32_t i = graph.forward_ops; i < static_cast<int32_t>(graph.ops.size()); ++i) {
      const graph::Op& op = graph.ops[static_cast<size_t>(i)];
      if (op.kind == graph::OpKind::add) continue;
      const std::string& forward = graph.ops[static_cast<size_t>(backward.forward_of(i))].name;
      EXPECT_TRUE(op.name.starts_with(forward + ".grad")) << id << ": " << op.name << " is given to " << forward;
    }
  }
}

}  // namespace
}  // namespace lockstep::stages
