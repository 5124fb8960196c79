#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/plan/instruction.h"
#include "reference_trainer/plan/lower.h"
#include "reference_trainer/plan/mesh.h"
#include "reference_trainer/plan/text/action.h"
#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::plan {

/// Where a parameter and its gradient lie in the two flat arrays of a rank, in elements. Gradients are in the order in
/// which backward makes them, so that a bucket is one contiguous piece, reduced in place.
struct Slot {
  graph::TensorId parameter = graph::kNoTensor;
  graph::TensorId gradient = graph::kNoTensor;
  int64_t offset = 0;
  int64_t count = 0;
  int32_t ready_after = 0;  ///< index of the op that writes the gradient
};

/// A piece of the flat gradient that is exchanged at once (gradient bucketing: Li et al. 2020).
struct Bucket {
  int64_t offset = 0;
  int64_t count = 0;
  int32_t ready_after = 0;  ///< index of the last op that writes into it
};

/// What one step of every rank does: plain data, the same for all ranks under dp.
struct Plan {
  text::Strategy strategy;
  Mesh mesh{{}};
  LocalGraph local;
  std::vector<Slot> slots;         ///< in the order of the flat arrays
  int64_t flat_count = 0;          ///< elements of each flat array; the last one of the gradients is the control slot
  std::vector<Bucket> buckets;     ///< empty when nothing is exchanged
  std::string algorithm = "auto";  ///< of the gradient exchange
  int microbatches = 1;
  std::vector<text::Action> actions;
  std::vector<Instruction> body;  ///< one step

  /// Index of the control slot: each rank adds 1 there when its loss is not finite, so that the exchange of the
  /// gradients tells all ranks, in the same step.
  int64_t control_slot() const { return flat_count - 1; }
};

struct PlanOptions {
  int64_t real_bytes = 4;  ///< of a real number: 4 (fp32) or 8 (fp64)
  bool fuse = true;        ///< merge activations into the ops before them
};

/// Lowers the graph of a workload for a strategy and expands its actions to instructions. Pure. Throws
/// Failure("unsupported") with the reason of the table of terms when this version cannot run the strategy.
Plan make_plan(const graph::Graph& forward, const text::Strategy& strategy, const PlanOptions& options = {});

/// Samples of a step of `samples` that data index `index` of `count` takes: [index::count].
inline int64_t share_of(int64_t samples, int index, int count) { return (samples - index + count - 1) / count; }

/// Samples of a share that microbatch `m` of `microbatches` takes: consecutive, the first ones one longer.
inline int64_t microbatch_begin(int64_t share, int m, int microbatches) {
  return share / microbatches * m + (m < share % microbatches ? m : share % microbatches);
}

}  // namespace lockstep::plan
