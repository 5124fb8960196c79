#pragma once

#include <deque>
#include <map>

#include "reference_trainer/kernels/executable.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/train/groups.h"
#include "reference_trainer/train/memory_block.h"
#include "reference_trainer/train/model_state.h"

namespace lockstep::train {

/// Carries out the communication of a stage's graph: exchanges between layouts, those between shards and whole tensors,
/// and messages between stages. Plan, groups and state outlive it.
template <class Real>
class Exchanger : public kernels::Exchanges {
 public:
  /// `stage`: index into the plan's stages.
  Exchanger(const plan::Plan& plan, size_t stage, Groups& groups, const ModelState<Real>& state)
      : plan_(plan), stage_(plan.stages[stage]), groups_(groups), state_(state) {}

  void run(const graph::Op& op, const kernels::StepContext& context, int64_t batch, std::span<void* const> in,
           std::span<void* const> out) override;

  /// Takes messages as they come: posts the receive of an op for a microbatch of so many samples, into memory of its
  /// own, and says whether that message is there. Without this a receive is posted when its op runs.
  void post_receive(const graph::Op& op, int32_t microbatch, int64_t samples);
  bool has_arrived(const graph::Op& op, int32_t microbatch);

  /// Waits until everything that was sent has left. Before the end of a step, since a rank may then have to wait long.
  void finish_sends();

  /// Without a flush: whether a stage further along the model says so, which the stage before is told, or that this one
  /// does. The message leaves while this rank goes on; finish_telling() waits for it.
  bool tell_stage_before(bool here);
  void finish_telling();

  /// Gathers that began ahead of use are under way.
  bool is_gathering() const { return !gathers_.empty(); }

  /// Takes part without samples: what this rank keeps goes to the others, and its gradients are zero.
  void attend(const graph::Op& op, const kernels::StepContext& context);

 private:
  void exchange(const plan::Exchange& exchange, int64_t batch, const void* in, void* out);
  void gather_shards(const graph::Op& op, std::span<void* const> out);
  void begin_gather(int32_t bucket);
  void scatter_shards(const plan::Bucket& bucket, std::span<void* const> in, int32_t microbatch);
  void send(const graph::Op& op, const kernels::StepContext& context, int64_t batch, std::span<void* const> in);
  void receive(const graph::Op& op, const kernels::StepContext& context, int64_t batch, std::span<void* const> out);
  struct Message;
  std::span<Real> packed_of(Message& gather, int64_t count);
  int tag(const plan::Border& border, int32_t microbatch) const;
  template <class T>
  void slice(const plan::Exchange& exchange, int64_t batch, const T* in, T* out) const;
  void reduce(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out);
  void zero_others(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out) const;
  void scatter(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out);
  template <class T>
  void gather(const plan::Exchange& exchange, int64_t batch, const T* in, T* out);
  using Shares = std::vector<std::vector<graph::Interval>>;
  void halo(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out, const Shares& have,
            const Shares& want);
  void rotate(const plan::Exchange& exchange, int64_t batch, const Real* in, Real* out);
  template <class T>
  void all_to_all(const plan::Exchange& exchange, int64_t batch, const T* in, T* out);
  std::span<Real> staging(int64_t count);
  void set_bounds(const Shares& shares, int64_t per_position);
  int member(const plan::Exchange& exchange) const {
    return plan_.mesh.coordinate(plan_.rank, exchange.conversion.axis);
  }

  const plan::Plan& plan_;
  const plan::Stage& stage_;
  Groups& groups_;
  const ModelState<Real>& state_;
  MemoryBlock staging_;
  /// A message that may still be on its way, with memory of its own.
  struct Message {
    MemoryBlock memory;
    comm::Handle handle;
  };
  std::deque<Message> sent_;
  /// By bucket: gathers that are under way; and memory for the next ones.
  std::map<int32_t, Message> gathers_;
  std::vector<MemoryBlock> free_;
  Message told_;
  bool telling_ = false;  ///< `told_` may still be on its way
  /// By border and microbatch: what is on its way here, a message a tensor.
  std::map<std::pair<int32_t, int32_t>, std::vector<Message>> posted_;
  std::vector<int64_t> bounds_;  ///< of the members' shards in the staging memory
};

}  // namespace lockstep::train
