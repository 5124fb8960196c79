#pragma once

#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "reference_trainer/plan/plan.h"
#include "reference_trainer/train/groups.h"
#include "reference_trainer/train/message.h"

namespace lockstep::train {

/// Messages between a stage and its neighbours in a pipeline: activations, gradients, and whether to go on. Plan and
/// groups outlive it.
template <class Real>
class StageMessages {
 public:
  /// `stage`: index into the plan's stages.
  StageMessages(const plan::Plan& plan, size_t stage, Groups& groups)
      : plan_(plan), stage_(plan.stages[stage]), groups_(groups) {}

  /// The tensors of a `send` op leave while this rank goes on: their memory is free again at once.
  void send(const graph::Op& op, int32_t microbatch, int64_t samples, std::span<void* const> in);
  /// Waits for those of a `receive` op.
  void receive(const graph::Op& op, int32_t microbatch, int64_t samples, std::span<void* const> out);

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

 private:
  /// A tensor of a border, of so many samples, that lies there.
  comm::Buffer buffer_of(graph::TensorId tensor, int64_t samples, void* memory) const;
  int tag(const plan::Border& border, int32_t microbatch) const;

  const plan::Plan& plan_;
  const plan::Stage& stage_;
  Groups& groups_;
  std::deque<Message> sent_;
  Message told_;
  bool telling_ = false;  ///< `told_` may still be on its way
  /// By border and microbatch: what is on its way here, a message a tensor.
  std::map<std::pair<int32_t, int32_t>, std::vector<Message>> posted_;
};

}  // namespace lockstep::train
