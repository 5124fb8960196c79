#pragma once

#include <cstdint>
#include <vector>

#include "reference_trainer/plan/lower.h"

namespace lockstep::plan {

/// What a `send` or `receive` op of a stage's graph does: tensors of one border go to the stage after or before, on the
/// rank with this coordinate of the pipeline axis.
struct Border {
  int peer = 0;           ///< coordinate on the pipeline axis
  int stage = 0;          ///< the sender's
  bool backward = false;  ///< gradients, to the stage before
  int direction = 0;
};

/// A number of its own for each border and microbatch, the same on both sides.
inline int64_t crossing(const Border& border, int64_t microbatch, int64_t stages) {
  return ((microbatch * 2 + border.direction) * 2 + (border.backward ? 1 : 0)) * stages + border.stage;
}

/// A stage of the model on a rank. Without a pipeline there is one, with all ops.
struct Stage {
  int index = 0;      ///< counted along the model
  int direction = 0;  ///< of a schedule with replicas of all stages in two directions: which of them
  /// Ops: forward; then those that the gradients for the stage before depend on; then the other gradients. Each of the
  /// first two ends with the sends of what others need, and begins, as backward does, with the receives.
  LocalGraph local;
  int32_t input_end = 0;        ///< ops [forward_ops, input_end) make the input gradients, those behind it the weights'
  std::vector<Border> borders;  ///< by Attributes::exchange of send and receive

  const graph::Graph& graph() const { return local.graph; }
  int32_t end() const { return static_cast<int32_t>(local.graph.ops.size()); }
  bool has_loss() const { return local.graph.loss != graph::kNoTensor; }
};

/// Where a stage's neighbours are, by coordinate of the pipeline axis; -1: there is none.
struct Neighbours {
  int before = -1, next = -1;
};

/// Cuts one stage out of a lowered graph, by the flow of tensors: what an earlier stage made and this or a later one
/// reads comes in from before, and so on. `stage_of_op`: of each local op, stages::kOwnersSum for sums of a tied
/// parameter's gradients, which the owners make themselves. Tensors keep their numbers.
Stage cut_stage(const LocalGraph& local, const std::vector<int32_t>& stage_of_op, int index, int direction,
                const Neighbours& neighbours);

}  // namespace lockstep::plan
