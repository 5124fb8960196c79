#include "reference_trainer/plan/stages/balance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

#include "adapters/contract/failure.h"
#include "reference_trainer/graph/cost.h"
#include "reference_trainer/graph/gradients.h"
#include "reference_trainer/plan/stages/cost.h"
#include "tests/plan/workload_graph.h"

namespace lockstep::stages {
namespace {

using plan::kWorkloads;
using plan::workload_graph;

/// Every cut into legal stages, in turn.
void each_cut(const std::vector<int32_t>& legal, int stages, Cut& cut, size_t from,
              const std::function<void(const Cut&)>& see) {
  if (cut.stages() == stages) return see(cut);
  for (size_t i = from; i < legal.size(); ++i) {
    cut.begins.push_back(legal[i]);
    each_cut(legal, stages, cut, i + 1, see);
    cut.begins.pop_back();
  }
}

double brute_force(const graph::Graph& graph, const Problem& problem) {
  double best = std::numeric_limits<double>::infinity();
  Cut cut{{0}};
  each_cut(legal_cuts(graph), problem.stages, cut, 0, [&](const Cut& candidate) {
    const Balance judged = judge(graph, problem, candidate);
    const bool fits = problem.memory_limit == 0 || *std::ranges::max_element(judged.memory) <= problem.memory_limit;
    if (fits) best = std::min(best, judged.slowest);
  });
  return best;
}

Problem problem_of(const graph::Graph& forward, int stages) {
  return {.stages = stages, .op_cost = flop_costs(graph::differentiate(forward), 4), .byte_cost = 10, .batch = 4};
}

TEST(StageBalance, EqualsBruteForceOnEveryWorkload) {
  for (const char* id : kWorkloads) {
    const graph::Graph graph = workload_graph(id);
    for (int stages = 1; stages <= 3; ++stages) {
      for (const double byte_cost : {0.0, 10.0, 1000.0}) {
        Problem problem = problem_of(graph, stages);
        problem.byte_cost = byte_cost;
        EXPECT_EQ(balance(graph, problem).slowest, brute_force(graph, problem)) << id << " " << stages << " stages";
      }
    }
  }
}

TEST(StageBalance, EqualsBruteForceWithRandomCostsAndLimits) {
  std::mt19937 random(7);
  const graph::Graph graph = workload_graph("cnn-fashion");
  int refused = 0;
  for (int round = 0; round < 60; ++round) {
    Problem problem = problem_of(graph, 2 + round % 3);
    problem.in_flight.resize(static_cast<size_t>(problem.stages));
    for (int s = 0; s < problem.stages; ++s) problem.in_flight[static_cast<size_t>(s)] = problem.stages - s;
    for (double& cost : problem.op_cost) cost = static_cast<double>(random() % 100);
    problem.byte_cost = static_cast<double>(random() % 3) / 1000;
    const Balance free = balance(graph, problem);
    const int64_t most = *std::ranges::max_element(free.memory);
    problem.memory_limit = most * static_cast<int64_t>(50 + random() % 60) / 100;
    const double best = brute_force(graph, problem);
    if (best == std::numeric_limits<double>::infinity()) {
      ++refused;
      EXPECT_THROW(balance(graph, problem), Failure);
    } else {
      EXPECT_EQ(balance(graph, problem).slowest, best);
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 60);
}

TEST(StageBalance, TheLeastLimitThatItNamesCanBeKept) {
  const graph::Graph graph = workload_graph("mlp-fashion");
  Problem problem = problem_of(graph, 2);
  problem.memory_limit = 1;
  std::string said;
  try {
    balance(graph, problem);
  } catch (const Failure& failure) {
    said = failure.what();
  }
  ASSERT_THAT(said, testing::HasSubstr("no cut into 2 stages keeps each within 1 bytes; the least limit"));
  problem.memory_limit = std::stoll(said.substr(said.rfind(' ') + 1));
  const Balance kept = balance(graph, problem);
  EXPECT_EQ(*std::ranges::max_element(kept.memory), problem.memory_limit);
  --problem.memory_limit;
  EXPECT_THROW(balance(graph, problem), Failure);
}

/// Each is the fastest of all cuts that keep less than the one before, down to the least limit there is.
TEST(StageBalance, CutsByMemoryAreTheFastestOfTheirSize) {
  for (const char* id : {"mlp-fashion", "cnn-fashion", "gpt-austen"}) {
    const graph::Graph graph = workload_graph(id);
    Problem problem = problem_of(graph, 2);
    problem.in_flight = {2, 1};
    const std::vector<Balance> cuts = fastest_by_memory(graph, problem, 1000);
    EXPECT_EQ(cuts.front().cut, balance(graph, problem).cut) << id;
    for (const Balance& cut : cuts) {
      EXPECT_EQ(cut.slowest, brute_force(graph, problem)) << id;
      problem.memory_limit = *std::ranges::max_element(cut.memory) - 1;
    }
    EXPECT_EQ(brute_force(graph, problem), std::numeric_limits<double>::infinity()) << id << ": none is left";
  }
}

TEST(StageBalance, TooManyStagesAreRefusedWithTheMost) {
  const graph::Graph graph = workload_graph("mlp-digits");
  const int most = static_cast<int>(legal_cuts(graph).size()) + 1;
  EXPECT_EQ(balance(graph, problem_of(graph, most)).cut.stages(), most);
  EXPECT_THROW(balance(graph, problem_of(graph, most + 1)), Failure);
}

TEST(StageBalance, IsNeverSlowerThanEqualLayers) {
  for (const char* id : kWorkloads) {
    const graph::Graph graph = workload_graph(id);
    for (int stages = 1; stages <= 3; ++stages) {
      const Problem problem = problem_of(graph, stages);
      const Balance equal = equal_layers(graph, problem);
      EXPECT_EQ(equal.cut.stages(), stages) << id;
      EXPECT_LE(balance(graph, problem).slowest, equal.slowest) << id;
    }
  }
}

TEST(StageBalance, EqualLayersOfAGptCutsBetweenItsBlocks) {
  const graph::Graph graph = workload_graph("gpt-austen");
  const Balance equal = equal_layers(graph, problem_of(graph, 2));
  EXPECT_EQ(graph.ops[static_cast<size_t>(equal.cut.begins[1])].name, "b1.ln1");
}

TEST(StageBalance, CostsOfAllOpsAreTheFlopsOfTheWholeGraph) {
  for (const char* id : kWorkloads) {
    const graph::Graph graph = graph::differentiate(workload_graph(id));
    const std::vector<double> costs = flop_costs(graph, 4);
    double whole = 0;
    for (const graph::Op& op : graph.ops) whole += static_cast<double>(graph::flops(graph, op, 4));
    EXPECT_EQ(std::accumulate(costs.begin(), costs.end(), 0.0), whole) << id;
  }
}

}  // namespace
}  // namespace lockstep::stages
