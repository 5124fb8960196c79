#include "reference_trainer/train/stage_messages.h"

#include <algorithm>
#include <cstring>

namespace lockstep::train {

/// Each border, microbatch and direction has a tag of its own, so the order in which a rank takes messages is free.
template <class Real>
int StageMessages<Real>::tag(const plan::Border& border, int32_t microbatch) const {
  return 1 + static_cast<int>(plan::crossing(border, microbatch, plan_.schedule->stages()) % comm::kLargestMessageTag);
}

template <class Real>
comm::Buffer StageMessages<Real>::buffer_of(graph::TensorId tensor, int64_t samples, void* memory) const {
  const graph::Tensor& it = stage_.graph().tensor(tensor);
  return {static_cast<std::byte*>(memory), graph::elements(it, samples),
          comm::element_of(graph::bytes_of(it.type, sizeof(Real)))};
}

template <class Real>
void StageMessages<Real>::send(const graph::Op& op, int32_t microbatch, int64_t samples, std::span<void* const> in) {
  const plan::Border& border = stage_.borders[static_cast<size_t>(op.attr.exchange)];
  comm::Communicator& group = groups_.over({plan::Axis::pp});
  while (sent_.size() > 1 && group.test(sent_.front().handle)) sent_.pop_front();
  for (size_t k = 0; k < in.size(); ++k) {
    const auto bytes = static_cast<size_t>(buffer_of(op.in[k], samples, in[k]).bytes());
    Message& outgoing = sent_.emplace_back(MemoryBlock(bytes), comm::Handle());
    std::memcpy(outgoing.memory.data(), in[k], bytes);
    const comm::PeerMessage message{comm::PeerMessage::send, border.peer,
                                    buffer_of(op.in[k], samples, outgoing.memory.data()), tag(border, microbatch)};
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
      std::memcpy(out[k], message.memory.data(), message.memory.bytes());
    }
    posted_.erase(posted);
    return;
  }
  for (size_t k = 0; k < out.size(); ++k) {
    const comm::PeerMessage message{comm::PeerMessage::recv, border.peer, buffer_of(op.out[k], samples, out[k]),
                                    tag(border, microbatch)};
    group.wait(group.start(std::span(&message, 1)), op.name);
  }
}

template <class Real>
void StageMessages<Real>::post_receive(const graph::Op& op, int32_t microbatch, int64_t samples) {
  const plan::Border& border = stage_.borders[static_cast<size_t>(op.attr.exchange)];
  std::vector<Message>& messages = posted_[{op.attr.exchange, microbatch}];
  for (graph::TensorId id : op.out) {
    const auto bytes = static_cast<size_t>(buffer_of(id, samples, nullptr).bytes());
    Message& message = messages.emplace_back(MemoryBlock(bytes), comm::Handle());
    const comm::PeerMessage incoming{comm::PeerMessage::recv, border.peer,
                                     buffer_of(id, samples, message.memory.data()), tag(border, microbatch)};
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
