#pragma once

#include <span>
#include <string>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/plan/exchange.h"
#include "reference_trainer/plan/layout.h"
#include "reference_trainer/plan/mesh.h"
#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

/// A graph as one rank sees it: tensors have the sizes of its parts, and `exchange` ops stand where a tensor changes
/// its layout. The batch axis stays symbolic: each rank binds its own share of the samples. All ranks have the same ops
/// and exchanges in the same order; only sizes differ.
struct LocalGraph {
  graph::Graph graph;
  std::vector<Layout> layouts;      ///< of each tensor
  std::vector<Exchange> exchanges;  ///< by Attributes::exchange
  std::vector<int32_t> sources;     ///< of each op the whole graph's op that it stands for, or works for
};

/// The workload's own grouping of samples by an op, which ranks and microbatches may not cut: "norm_group is 8
/// samples", "routing_group is 128 tokens"; empty where each sample is on its own.
std::string group_of_samples(const graph::Op& op);

/// Chooses each op's loops by the rules, derives every tensor's layout from them, and inserts the exchanges that bring
/// operands into the layout that their op wants. Parameters lie as their first op wants them. Gradients may stay
/// partial (the layout says over which axes: buckets sum them), and so may metrics over the axes that split samples.
/// Throws Failure("unsupported") when a rule splits a loop that an op needs whole, or more ways than it has positions,
/// with the op and both numbers; and when a mesh axis splits nothing at all.
LocalGraph lower(const graph::Graph& graph, std::span<const LayoutRule> rules, const Mesh& mesh, int rank);

}  // namespace lockstep::plan
