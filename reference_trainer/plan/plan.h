#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/plan/collective/program.h"
#include "reference_trainer/plan/held.h"
#include "reference_trainer/plan/instruction.h"
#include "reference_trainer/plan/lower.h"
#include "reference_trainer/plan/mesh.h"
#include "reference_trainer/plan/schedule/generators.h"
#include "reference_trainer/plan/schedule/weights.h"
#include "reference_trainer/plan/stage.h"
#include "reference_trainer/plan/text/action.h"
#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::plan {

/// Where a parameter and its gradient lie in the two flat arrays of a rank, in elements. Gradients are in the order in
/// which backward makes them, so that a bucket is one contiguous piece, reduced in place.
struct Slot {
  size_t stage = 0;  ///< index into Plan::stages: whose tensors these are
  graph::TensorId parameter = graph::kNoTensor;
  graph::TensorId gradient = graph::kNoTensor;
  int64_t offset = 0;
  int64_t count = 0;
  int32_t ready_after = 0;  ///< index of the op that writes the gradient
  std::vector<Axis> sum;    ///< the gradient is the sum over these mesh axes
  std::vector<Axis> split;  ///< the parameter is split over these; replicated over all others
  size_t index = 0;         ///< of the parameter among those of the whole graph
};

/// A piece of the flat gradient that is exchanged at once (gradient bucketing: Li et al. 2020).
struct Bucket {
  int64_t offset = 0;
  int64_t count = 0;
  int32_t ready_after = 0;  ///< index of the last op that writes into it
  std::vector<Axis> axes;   ///< it is summed over these
  size_t stage = 0;         ///< whose ops these are
};

/// A parameter that several stages hold, each with a gradient of its own: the owners add them up before the update.
struct Shared {
  struct Owner {
    int coordinate = 0;  ///< on the pipeline axis
    int slot = -1;       ///< here; -1: on another rank
  };
  std::vector<Owner> owners;  ///< along the model, then by direction; the first one counts in sums over parameters
};

/// Elements of each offloaded array that are in memory at once.
inline constexpr int64_t kOffloadWindow = 1 << 18;

/// What one step of a rank does: plain data. All ranks have the same instructions; sizes differ where parts do.
struct Plan {
  text::Strategy strategy;
  Mesh mesh{{}};
  int rank = 0;
  graph::Graph whole;         ///< forward and backward of one rank that does everything
  std::vector<Stage> stages;  ///< this rank's
  std::vector<Slot> slots;    ///< in the order of the flat arrays
  /// Samples, or sums over them, are exchanged between the ranks of these axes, in blocks of equal size.
  std::vector<Axis> moves_samples;
  bool splits_over_dp = false;  ///< some parameters are split over dp too: its ranks hold one model together
  std::vector<Shared> shared;
  int64_t flat_count = 0;  ///< elements of each flat array; the last one of the gradients is the control slot
  Held parameters, gradients, optimizer;  ///< what the rank keeps of each flat array
  int zero = 0;                           ///< level of sharding: 0 to 3
  /// Hybrid sharding: so many dp ranks keep one whole model's shards, and the next ones the same again; 0: all
  /// together.
  int shard_group = 0;
  bool offloads = false;  ///< the optimizer's arrays lie in files, and come into memory a window at a time
  /// How activations lie in memory between ops: real, or 16-bit numbers (mixed precision).
  graph::Type storage = graph::Type::real;
  int prefetch = 0;                ///< gathers of parameters that are under way while the one before them is used
  std::vector<Bucket> buckets;     ///< empty when nothing is exchanged
  std::string algorithm = "auto";  ///< of the gradient exchange
  int microbatches = 1;
  /// Of a share, that a microbatch takes all or none of: what lies with a rank of the group of a batch norm.
  int64_t samples_together = 1;
  std::optional<schedule::Schedule> schedule;  ///< of the pipeline; its lists have sends and receives
  /// Of a pipeline without a flush: which weights a microbatch uses. Its schedule is a short run, as an example.
  std::optional<schedule::Pipeline> stale;
  std::vector<schedule::Times> stage_costs;  ///< of all stages, in FLOPs of a sample
  std::vector<text::Action> fill, actions;   ///< without a flush: what fills the pipeline; one step
  std::vector<int> activation_slots;  ///< by stage here: microbatches whose activations are held at once, at most
  int weight_copies = 1;              ///< arrays of parameters: versions, and what is predicted of the next ones
  std::vector<Instruction> prologue;  ///< before the first step of a stretch: fills a pipeline without a flush
  std::vector<Instruction> body;      ///< one step

  /// Index of the control slot: each rank adds 1 there when its loss is not finite, so that the exchange of the
  /// gradients tells all ranks, in the same step.
  int64_t control_slot() const { return flat_count - 1; }

  /// With sharded gradients each backward reduces its own, op by op, and no bucket is left for later.
  bool scatters_in_backward() const { return zero >= 2; }
  /// Parameters that all ranks keep, but of which each updates a shard, are gathered at the end of a step.
  bool gathers_after_update() const { return zero == 1 || zero == 2; }

  /// Every step ends with all of its microbatches, and none of the next one's have begun.
  bool flushes() const { return !stale; }
  /// Forward runs on a prediction of the weights.
  bool predicts() const { return stale && stale->weights == schedule::Weights::predict; }
  /// Which samples of its share of a step of so many are this microbatch's, which may be numbered through several
  /// steps; of this rank, or of one of its stage whose share is another.
  collective::Range samples_of(int64_t step_samples, int64_t microbatch) const {
    return samples_of(step_samples, microbatch, data_index());
  }
  collective::Range samples_of(int64_t step_samples, int64_t microbatch, int data_index) const;

  /// The loss is scaled, and a step whose gradients overflow is left out by all ranks.
  bool scales_loss() const { return storage == graph::Type::fp16; }

  /// The order of forwards and backwards is decided when it runs, by what has arrived.
  bool by_arrival() const { return schedule && schedule->order == schedule::Order::arrival; }

  /// Which share of a step's samples is this rank's, of how many.
  int data_index() const { return mesh.data_index(rank); }
  int data_count() const { return mesh.data_count(); }
  /// Samples of a microbatch that this rank has memory for: as many as any of the ranks between which samples move has,
  /// since these exchange blocks of equal size. Those that it lacks itself are padding.
  int64_t bound_samples(int64_t step_samples, int64_t microbatch) const;
  /// The same of a whole share of `samples`.
  int64_t bound_share(int64_t samples) const;
  /// Whether the exchange of the gradients that has the control slot reaches all ranks that have other samples.
  bool control_reaches_all() const;
  /// Whether ranks tell each other with a message of its own that a loss is not finite: the gradients' exchange, in
  /// whose control slot they would, does not reach all that have other samples, or leaves each rank a shard of it.
  bool tells_apart() const;
  /// The ranks along these hold one model together: all axes but dp, and dp too where it splits parameters.
  std::vector<Axis> model_axes() const;
  const LocalGraph& local(const Slot& slot) const { return stages[slot.stage].local; }
  /// Microbatches and stages have memory of their own for gradients, which are added up.
  bool adds_gradients() const { return (microbatches > 1 || stages.size() > 1) && !scatters_in_backward(); }
  /// Whether this rank is the first that holds this part of the parameter: sums over parameters count each element
  /// there. Of an array that all data-parallel ranks keep, each of them counts for itself; the shards of a sharded one
  /// are all first, where groups have the same ones those of the first group.
  bool is_first_holder(const Slot& slot, bool sharded) const;
  /// Elements of a gradient that this rank keeps: all of it, or a shard.
  int64_t kept_gradients(const Slot& slot) const;
  /// The first of a step's microbatches that come to a stage of this rank: of two directions each has its own.
  int64_t first_microbatch(size_t stage) const;
  /// What lies in a bucket, in the order of the flat arrays.
  std::vector<const Slot*> slots_of(const Bucket& bucket) const;
  /// The ranks that keep the shards of a bucket together; and those that keep this rank's shard of it, in other groups.
  std::vector<int> shard_members(const Bucket& bucket) const;
  std::vector<int> replica_members() const;
  bool has_shard_replicas() const { return shard_group > 0 && shard_group < mesh.size(Axis::dp); }
  /// This rank's shard of a bucket, counted from the bucket's begin.
  collective::Range shard_of(const Bucket& bucket) const;
  /// The axes over which such sums have to be added up.
  std::vector<Axis> holder_axes(bool sharded) const;

 private:
  /// A microbatch's part of a share.
  collective::Range cut_share(int64_t share, int64_t microbatch) const;
};

struct PlanOptions {
  int64_t real_bytes = 4;  ///< of a real number: 4 (fp32) or 8 (fp64)
  bool fuse = true;        ///< merge activations into the ops before them
  int rank = 0;
};

/// Lowers the graph of a workload for a strategy and expands its actions to instructions. Pure. Throws
/// Failure("unsupported") with the reason of the table of terms when this version cannot run the strategy.
Plan make_plan(const graph::Graph& forward, const text::Strategy& strategy, const PlanOptions& options = {});

/// Samples of a step of `samples` that data index `index` of `count` takes: [index::count].
inline int64_t share_of(int64_t samples, int index, int count) { return (samples - index + count - 1) / count; }

/// Samples of a share that microbatch `m` of `microbatches` takes: consecutive, whole groups of `together`, the first
/// ones one group longer.
inline int64_t microbatch_begin(int64_t share, int m, int microbatches, int64_t together = 1) {
  const int64_t groups = (share + together - 1) / together;
  const int64_t begin = groups / microbatches * m + (m < groups % microbatches ? m : groups % microbatches);
  return begin * together < share ? begin * together : share;
}

}  // namespace lockstep::plan
