#pragma once

#include <span>
#include <string>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/plan/layout.h"
#include "reference_trainer/plan/mesh.h"
#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

/// A conversion that lowering found necessary, and why.
struct Exchange {
  graph::TensorId tensor = graph::kNoTensor;
  int32_t after_op = 0;  ///< index of the op that makes the tensor
  Conversion conversion;
  std::string why;  ///< "linear_grad_weight fc1: sum over batch"
};

/// A graph as one rank sees it. The batch axis stays symbolic: under dp each rank binds its own share of the samples,
/// so the ops are those of the whole graph and only layouts and exchanges are new.
struct LocalGraph {
  graph::Graph graph;
  std::vector<Layout> layouts;  ///< of each tensor, as its producer leaves it
  std::vector<Exchange> exchanges;
};

/// Chooses each op's loops by the rules, derives every tensor's layout from them, and finds the conversions: operands
/// to what their op wants, gradients and metrics to replicated. Throws Failure("unsupported") when a rule splits a loop
/// that an op needs whole, with the op and both numbers.
LocalGraph lower(const graph::Graph& graph, std::span<const LayoutRule> rules, const Mesh& mesh);

}  // namespace lockstep::plan
