#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/recorder/recorder.h"
#include "reference_trainer/comm/communicator.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/train/groups.h"
#include "reference_trainer/train/memory_block.h"
#include "reference_trainer/train/model_state.h"

namespace lockstep::train {

/// What becomes of a step's gradients until the update: microbatches' are added up, so are those of parameters that
/// several stages hold, and buckets go to the other replicas, as gradients and, where each has updated its shard, come
/// back as parameters. Plan, groups, state and recorder outlive it.
template <class Real>
class Gradients {
 public:
  /// `recorder`: nullptr when nothing is recorded.
  Gradients(const plan::Plan& plan, Groups& groups, ModelState<Real>& state, profiler::Recorder* recorder);

  /// No microbatch of the step has added any yet.
  void begin_step() { added_.assign(plan_.slots.size(), false); }
  /// Where a microbatch leaves its own: the state's gradients where there is one microbatch a step.
  std::span<Real> of_microbatch();
  /// Adds those that ops [first, last) of a microbatch with samples have made.
  void accumulate(const plan::Instruction& instruction);
  /// A step with no sample for this rank leaves gradients of zero.
  void clear_what_no_sample_reached();
  /// Adds up the gradients of parameters that several stages hold.
  void share();

  /// Begins the exchange of a bucket's gradients; the last one tells the others whether this rank's loss is finite.
  void start(int32_t bucket_index, bool finite_loss);
  /// Begins that of a bucket's parameters, of which each rank has updated its shard.
  void gather_parameters(int32_t bucket_index);
  void wait(int32_t bucket_index);
  /// Adds up this rank's shard of a bucket over the groups that shard apart.
  void replicate(int32_t bucket_index);
  /// Gradients are on their way.
  bool is_exchanging() const { return exchanging_; }

 private:
  std::vector<Real> sum_of_owners(const plan::Shared& shared);
  std::span<Real> kept_of(const plan::Slot& slot);

  /// A bucket's exchange, and what a rank that waits for it says it waits for.
  struct UnderWay {
    comm::Handle handle;
    std::string_view what;
  };

  const plan::Plan& plan_;
  Groups& groups_;
  ModelState<Real>& state_;
  MemoryBlock of_microbatch_;  ///< empty where there is one microbatch a step
  std::vector<bool> added_;    ///< by slot: the step's gradient has one of its microbatches already
  std::vector<UnderWay> under_way_;
  bool exchanging_ = false;
  profiler::Recorder* recorder_;
  uint32_t track_ = 0, wait_name_ = 0;
};

}  // namespace lockstep::train
