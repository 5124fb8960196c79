#pragma once

#include <map>
#include <span>
#include <vector>

#include "reference_trainer/kernels/executable.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/train/groups.h"
#include "reference_trainer/train/layout_exchanger.h"
#include "reference_trainer/train/message.h"
#include "reference_trainer/train/model_state.h"
#include "reference_trainer/train/stage_messages.h"

namespace lockstep::train {

/// Carries out the communication of a stage's graph: exchanges between layouts and messages between stages by the two
/// that know these, and between shards and whole tensors itself. Plan, groups and state outlive it.
template <class Real>
class Exchanger : public kernels::Exchanges {
 public:
  /// `stage`: index into the plan's stages.
  Exchanger(const plan::Plan& plan, size_t stage, Groups& groups, const ModelState<Real>& state)
      : plan_(plan),
        stage_(plan.stages[stage]),
        groups_(groups),
        state_(state),
        layouts_(plan, stage, groups, staging_),
        messages_(plan, stage, groups) {}

  void run(const graph::Op& op, const kernels::StepContext& context, int64_t batch, std::span<void* const> in,
           std::span<void* const> out) override;

  StageMessages<Real>& messages() { return messages_; }

  /// Gathers that began ahead of use are under way.
  bool is_gathering() const { return !gathers_.empty(); }

  /// Takes part without samples: what this rank keeps goes to the others, and its gradients are zero.
  void attend(const graph::Op& op, const kernels::StepContext& context);

 private:
  void gather_shards(const graph::Op& op, std::span<void* const> out);
  void begin_gather(int32_t bucket_index);
  void scatter_shards(const plan::Bucket& bucket, std::span<void* const> in, int32_t microbatch);
  std::span<Real> packed_of(Message& gather, int64_t count);

  const plan::Plan& plan_;
  const plan::Stage& stage_;
  Groups& groups_;
  const ModelState<Real>& state_;
  Staging staging_;
  LayoutExchanger<Real> layouts_;
  StageMessages<Real> messages_;
  /// By bucket: gathers that are under way; and memory for the next ones.
  std::map<int32_t, Message> gathers_;
  std::vector<MemoryBlock> free_;
};

}  // namespace lockstep::train
