#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/plan/stages/cut.h"

namespace lockstep::stages {

/// What goes over the border between a stage and the next one: tensors forward, and the gradient of each backward
/// (kNoTensor for one that has none). Two of them may have the same gradient tensor (operands of an `add`): send it
/// once.
struct Border {
  std::vector<graph::TensorId> forward;
  std::vector<graph::TensorId> backward;
};

/// A parameter that several stages read (tied weights). Each of them, an owner, holds it and a gradient of its own; the
/// gradients are summed over the owners before the update.
struct Tied {
  graph::TensorId parameter = graph::kNoTensor;
  std::vector<int> owners;                 ///< stages, in order; the first one counts it in norms and checkpoints
  std::vector<graph::TensorId> gradients;  ///< by owner
};

/// Ops by index into Graph::ops, in the order of the graph.
struct StageOps {
  std::vector<int32_t> forward;
  std::vector<int32_t> backward;         ///< all of it: what B runs
  std::vector<int32_t> input_gradient;   ///< what I runs: what the gradients for the stage before depend on
  std::vector<int32_t> weight_gradient;  ///< what W runs: the others. An op that makes both goes to I
  std::vector<graph::TensorId> parameters;
};

/// A differentiated graph, cut into stages. The first stage has nobody to send a gradient to: all of its backward is W.
struct Partition {
  std::vector<int32_t> stage_of_op;  ///< kOwnersSum: a sum over owners of a tied parameter, which is an exchange
  std::vector<Border> borders;       ///< between stage s and s + 1
  std::vector<StageOps> stages;
  std::vector<Tied> tied;
  /// The result of a sum over owners, and what stands for it on the stage where the sum would have run.
  std::map<graph::TensorId, graph::TensorId> stands_for;

  /// The tensor that a stage's ops find under this name.
  graph::TensorId resolved(graph::TensorId) const;
};

inline constexpr int32_t kOwnersSum = -1;

/// Cuts the graph as differentiate() leaves it; fuse activations after this, a stage at a time.
Partition partition(const graph::Graph& differentiated, const Cut&);

}  // namespace lockstep::stages
