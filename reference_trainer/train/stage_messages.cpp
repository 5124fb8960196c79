#include "reference_trainer/train/stage_messages.h"

#include <algorithm>

namespace lockstep::train {

/// Each border, microbatch and direction has a tag of its own, so the order in which a rank takes messages is free.
template <class Real>
int StageMessages<Real>::tag(const plan::Border& border, int32_t microbatch) const {
  return 1 + static_cast<int>(plan::crossing(border, microbatch, plan_.schedule->stages()) % comm::kLargestMessageTag);
}

template <class Real>
void StageMessages<Real>::send(const graph::Op& op, int32_t microbatch, int64_t samples, std::span<void* const> in) {
  const plan::Border& border = stage_.borders[static_cast<size_t>(op.attr.exchange)];
  comm::Communicator& group = groups_.over({plan::Axis::pp});
  while (sent_.size() > 1 && group.test(sent_.front().handle)) sent_.pop_front();
  for (size_t k = 0; k < in.size(); ++k) {
    const int64_t count = graph::elements(stage_.graph().tensor(op.in[k]), samples);
    Message& outgoing = sent_.emplace_back(MemoryBlock(static_cast<size_t>(count) * sizeof(Real)), comm::Handle());
    const std::span<Real> values = outgoing.memory.template as<Real>().first(static_cast<size_t>(count));
    std::copy_n(static_cast<const Real*>(in[k]), count, values.begin());
    const comm::PeerMessage message{comm::PeerMessage::send, border.peer, values, tag(border, microbatch)};
    outgoing.handle = group.start(std::span(&message, 1));
  }
}

template <class Real>
void StageMessages<Real>::receive(const graph::Op& op, int32_t microbatch, int64_t samples,
                                  std::span<void* const> out) {
  const plan::Border& border = stage_.borders[static_cast<size_t>(op.attr.exchange)];
  comm::Communicator& group = groups_.over({plan::Axis::pp});
  const auto posted = posted_.find({op.attr.exchange, microbatch});
  if (posted != posted_.end()) {
    for (size_t k = 0; k < out.size(); ++k) {
      const Message& message = posted->second[k];
      group.wait(message.handle, op.name);
      const int64_t count = graph::elements(stage_.graph().tensor(op.out[k]), samples);
      std::copy_n(message.memory.template as<Real>().data(), count, static_cast<Real*>(out[k]));
    }
    posted_.erase(posted);
    return;
  }
  for (size_t k = 0; k < out.size(); ++k) {
    const auto count = static_cast<size_t>(graph::elements(stage_.graph().tensor(op.out[k]), samples));
    const comm::PeerMessage message{comm::PeerMessage::recv, border.peer, std::span(static_cast<Real*>(out[k]), count),
                                    tag(border, microbatch)};
    group.wait(group.start(std::span(&message, 1)), op.name);
  }
}

template <class Real>
void StageMessages<Real>::post_receive(const graph::Op& op, int32_t microbatch, int64_t samples) {
  const plan::Border& border = stage_.borders[static_cast<size_t>(op.attr.exchange)];
  std::vector<Message>& messages = posted_[{op.attr.exchange, microbatch}];
  for (graph::TensorId id : op.out) {
    const auto count = static_cast<size_t>(graph::elements(stage_.graph().tensor(id), samples));
    Message& message = messages.emplace_back(MemoryBlock(count * sizeof(Real)), comm::Handle());
    const comm::PeerMessage incoming{comm::PeerMessage::recv, border.peer,
                                     message.memory.template as<Real>().first(count), tag(border, microbatch)};
    message.handle = groups_.over({plan::Axis::pp}).start(std::span(&incoming, 1));
  }
}

template <class Real>
bool StageMessages<Real>::has_arrived(const graph::Op& op, int32_t microbatch) {
  const auto posted = posted_.find({op.attr.exchange, microbatch});
  if (posted == posted_.end()) return true;
  return std::ranges::all_of(
      posted->second, [&](const Message& message) { return groups_.over({plan::Axis::pp}).test(message.handle); });
}

template <class Real>
void StageMessages<Real>::finish_sends() {
  finish_telling();
  while (!sent_.empty()) {
    groups_.over({plan::Axis::pp}).wait(sent_.front().handle, "activations or gradients to leave");
    sent_.pop_front();
  }
}

/// Tag 0: no border's.
template <class Real>
bool StageMessages<Real>::tell_stage_before(bool here) {
  comm::Communicator& group = groups_.over({plan::Axis::pp});
  double told = here ? 1 : 0;
  for (const plan::Border& border : stage_.borders) {
    if (!border.backward || border.stage != stage_.index + 1) continue;
    double heard = 0;
    const comm::PeerMessage message{comm::PeerMessage::recv, border.peer, std::span(&heard, 1), 0};
    group.wait(group.start(std::span(&message, 1)), "the next stage's losses");
    told = std::max(told, heard);
  }
  for (const plan::Border& border : stage_.borders) {
    if (!border.backward || border.stage != stage_.index) continue;
    finish_telling();
    if (told_.memory.bytes() == 0) told_.memory = MemoryBlock(sizeof(double));
    const std::span<double> value = told_.memory.template as<double>();
    value[0] = told;
    const comm::PeerMessage message{comm::PeerMessage::send, border.peer, value, 0};
    told_.handle = group.start(std::span(&message, 1));
    telling_ = true;
  }
  return told > 0;
}

template <class Real>
void StageMessages<Real>::finish_telling() {
  if (telling_) groups_.over({plan::Axis::pp}).wait(told_.handle, "the stage before to hear of the losses");
  telling_ = false;
}

template class StageMessages<float>;
template class StageMessages<double>;

}  // namespace lockstep::train
