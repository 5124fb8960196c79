#include "reference_trainer/train/exchanger.h"

#include <algorithm>
#include <array>

#include "reference_trainer/kernels/operand.h"
#include "reference_trainer/kernels/update.h"
#include "reference_trainer/plan/prefetch.h"

namespace lockstep::train {

using graph::Interval;
using kernels::Around;
using plan::Conversion;
using plan::Exchange;

namespace {

/// Copies some positions of a tensor to, or from, memory that holds nothing else.
template <class T, bool to_packed>
void copy_share(const Around& shape, const std::vector<Interval>& share,
                std::conditional_t<to_packed, const T, T>* full, std::conditional_t<to_packed, T, const T>* packed) {
  for (int64_t o = 0; o < shape.outer; ++o) {
    for (const Interval& interval : share) {
      auto* there = full + (o * shape.positions + interval.begin) * shape.inner;
      const int64_t count = interval.size() * shape.inner;
      if constexpr (to_packed) {
        std::copy_n(there, count, packed);
      } else {
        std::copy_n(packed, count, there);
      }
      packed += count;
    }
  }
}

/// Adds packed positions to those of a tensor.
template <class T>
void add_share(const Around& shape, const std::vector<Interval>& share, const T* packed, T* full) {
  for (int64_t o = 0; o < shape.outer; ++o) {
    for (const Interval& interval : share) {
      const int64_t count = interval.size() * shape.inner;
      kernels::accumulate(full + (o * shape.positions + interval.begin) * shape.inner, packed, count);
      packed += count;
    }
  }
}

/// Shares of an axis of the longer tensor as positions in it: those of samples are counted in ranks' batches.
std::vector<std::vector<Interval>> in_positions(std::vector<std::vector<Interval>> shares,
                                                const kernels::Operand& longer, int axis) {
  const auto at = static_cast<size_t>(axis);
  const int64_t each = longer.dims[at] / (*longer.shape)[at].size;
  for (auto& share : shares) {
    for (Interval& interval : share) interval = {interval.begin * each, interval.end * each};
  }
  return shares;
}

/// Numbers are moved as they are, whatever they mean: ids too are 4 bytes.
template <class T>
comm::Buffer buffer_of(T* values, int64_t count) {
  const auto element = sizeof(T) == 4 ? comm::Element::f32 : comm::Element::f64;
  return {reinterpret_cast<std::byte*>(values), count, element};
}

std::vector<Interval> moved(std::vector<Interval> intervals, int64_t by) {
  for (Interval& interval : intervals) interval.begin += by, interval.end += by;
  return intervals;
}

}  // namespace

template <class Real>
void Exchanger<Real>::run(const graph::Op& op, const kernels::StepContext& context, int64_t batch,
                          std::span<void* const> in, std::span<void* const> out) {
  const auto index = static_cast<size_t>(op.attr.exchange);
  if (op.kind == graph::OpKind::gather_shards) return gather_shards(op, out);
  if (op.kind == graph::OpKind::scatter_shards) return scatter_shards(plan_.buckets[index], in, context.microbatch);
  if (op.kind == graph::OpKind::send) return send(op, context, context.samples, in);
  if (op.kind == graph::OpKind::receive) return receive(op, context, context.samples, out);
  exchange(stage_.local.exchanges[index], batch, in[0], out[0]);
}

template <class Real>
void Exchanger<Real>::attend(const graph::Op& op, const kernels::StepContext& context) {
  // Compute is left out, and so is an exchange between layouts: its ranks have the same samples, or as many, so none of
  // them comes.
  if (op.kind == graph::OpKind::gather_shards || op.kind == graph::OpKind::scatter_shards) run(op, context, 0, {}, {});
}

/// Each border, microbatch and direction has a tag of its own, so the order in which a rank takes messages is free.
template <class Real>
int Exchanger<Real>::tag(const plan::Border& border, int32_t microbatch) const {
  const int64_t way = (int64_t{microbatch} * 2 + border.direction) * 2 + (border.backward ? 1 : 0);
  return 1 + static_cast<int>((way * plan_.schedule->stages() + border.stage) % comm::kLargestMessageTag);
}

template <class Real>
void Exchanger<Real>::send(const graph::Op& op, const kernels::StepContext& context, int64_t batch,
                           std::span<void* const> in) {
  const plan::Border& border = stage_.borders[static_cast<size_t>(op.attr.exchange)];
  comm::Communicator& group = groups_.over({plan::Axis::pp});
  while (sent_.size() > 1 && group.test(sent_.front().handle)) sent_.pop_front();
  for (size_t k = 0; k < in.size(); ++k) {
    const int64_t count = graph::elements(stage_.graph().tensor(op.in[k]), batch);
    Message& outgoing = sent_.emplace_back(MemoryBlock(static_cast<size_t>(count) * sizeof(Real)), comm::Handle());
    const std::span<Real> values = outgoing.memory.template as<Real>().first(static_cast<size_t>(count));
    std::copy_n(static_cast<const Real*>(in[k]), count, values.begin());
    const comm::PeerMessage message{comm::PeerMessage::send, border.peer, values, tag(border, context.microbatch)};
    outgoing.handle = group.start(std::span(&message, 1));
  }
}

template <class Real>
void Exchanger<Real>::receive(const graph::Op& op, const kernels::StepContext& context, int64_t batch,
                              std::span<void* const> out) {
  const plan::Border& border = stage_.borders[static_cast<size_t>(op.attr.exchange)];
  comm::Communicator& group = groups_.over({plan::Axis::pp});
  const auto posted = posted_.find({op.attr.exchange, context.microbatch});
  if (posted != posted_.end()) {
    for (size_t k = 0; k < out.size(); ++k) {
      const Message& message = posted->second[k];
      group.wait(message.handle, op.name);
      const int64_t count = graph::elements(stage_.graph().tensor(op.out[k]), batch);
      std::copy_n(message.memory.template as<Real>().data(), count, static_cast<Real*>(out[k]));
    }
    posted_.erase(posted);
    return;
  }
  for (size_t k = 0; k < out.size(); ++k) {
    const auto count = static_cast<size_t>(graph::elements(stage_.graph().tensor(op.out[k]), batch));
    const comm::PeerMessage message{comm::PeerMessage::recv, border.peer, std::span(static_cast<Real*>(out[k]), count),
                                    tag(border, context.microbatch)};
    group.wait(group.start(std::span(&message, 1)), op.name);
  }
}

template <class Real>
void Exchanger<Real>::post_receive(const graph::Op& op, int32_t microbatch, int64_t samples) {
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
bool Exchanger<Real>::has_arrived(const graph::Op& op, int32_t microbatch) {
  const auto posted = posted_.find({op.attr.exchange, microbatch});
  if (posted == posted_.end()) return true;
  return std::ranges::all_of(
      posted->second, [&](const Message& message) { return groups_.over({plan::Axis::pp}).test(message.handle); });
}

template <class Real>
void Exchanger<Real>::finish_sends() {
  finish_telling();
  while (!sent_.empty()) {
    groups_.over({plan::Axis::pp}).wait(sent_.front().handle, "activations or gradients to leave");
    sent_.pop_front();
  }
}

/// Tag 0: no border's.
template <class Real>
bool Exchanger<Real>::tell_stage_before(bool here) {
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
void Exchanger<Real>::finish_telling() {
  if (telling_) groups_.over({plan::Axis::pp}).wait(told_.handle, "the stage before to hear of the losses");
  telling_ = false;
}

template <class Real>
void Exchanger<Real>::begin_gather(int32_t index) {
  const plan::Bucket& bucket = plan_.buckets[static_cast<size_t>(index)];
  Message& gather = gathers_[index];
  if (plan_.prefetch > 0) {
    if (!free_.empty()) gather.memory = std::move(free_.back()), free_.pop_back();
    const size_t bytes = static_cast<size_t>(bucket.count) * sizeof(Real);
    if (gather.memory.bytes() < bytes) gather.memory = MemoryBlock(bytes);
  }
  const std::span<Real> packed = packed_of(gather, bucket.count);
  const collective::Range mine = plan_.shard_of(bucket);
  if (mine.size() > 0) {
    const auto* kept = state_.parameters().data() + plan_.parameters.at(bucket.offset + mine.begin);
    std::copy_n(kept, mine.size(), packed.data() + mine.begin);
  }
  gather.handle = groups_.shards(plan_, bucket).start(comm::Operation::all_gather, packed);
}

/// Without prefetch a gather uses the memory that all exchanges share.
template <class Real>
std::span<Real> Exchanger<Real>::packed_of(Message& gather, int64_t count) {
  if (plan_.prefetch == 0) return staging(count);
  return gather.memory.template as<Real>().first(static_cast<size_t>(count));
}

template <class Real>
void Exchanger<Real>::gather_shards(const graph::Op& op, std::span<void* const> out) {
  if (!gathers_.contains(op.attr.exchange)) begin_gather(op.attr.exchange);
  if (plan::begins_gather(op)) return;
  const plan::Bucket& bucket = plan_.buckets[static_cast<size_t>(op.attr.exchange)];
  Message& gather = gathers_.at(op.attr.exchange);
  groups_.shards(plan_, bucket).wait(gather.handle, "parameters");
  const std::span<Real> packed = packed_of(gather, bucket.count);
  size_t k = 0;
  if (!out.empty()) {
    for (const plan::Slot* slot : plan_.slots_of(bucket))
      std::copy_n(packed.data() + slot->offset - bucket.offset, slot->count, static_cast<Real*>(out[k++]));
  }
  if (plan_.prefetch > 0) free_.push_back(std::move(gather.memory));
  gathers_.erase(op.attr.exchange);
}

template <class Real>
void Exchanger<Real>::scatter_shards(const plan::Bucket& bucket, std::span<void* const> in, int32_t microbatch) {
  const std::span<Real> packed = staging(bucket.count);
  std::ranges::fill(packed, Real(0));
  size_t k = 0;
  for (const plan::Slot* slot : plan_.slots_of(bucket)) {
    if (!in.empty())
      std::copy_n(static_cast<const Real*>(in[k++]), slot->count, packed.data() + slot->offset - bucket.offset);
  }
  groups_.shards(plan_, bucket).run(comm::Operation::reduce_scatter, packed, "gradients");
  const collective::Range mine = plan_.shard_of(bucket);
  if (mine.size() == 0) return;
  Real* kept = state_.gradients().data() + plan_.gradients.at(bucket.offset + mine.begin);
  if (microbatch == 0) {
    std::copy_n(packed.data() + mine.begin, mine.size(), kept);
  } else {
    kernels::accumulate(kept, packed.data() + mine.begin, mine.size());
  }
}

template <class Real>
void Exchanger<Real>::exchange(const Exchange& exchange, int64_t batch, const void* in, void* out) {
  if (stage_.local.graph.tensor(exchange.in).type == graph::Type::index) {
    const auto* from = static_cast<const int32_t*>(in);
    auto* to = static_cast<int32_t*>(out);
    if (exchange.conversion.kind == Conversion::all_to_all) return all_to_all(exchange, batch, from, to);
    if (exchange.conversion.kind == Conversion::all_gather) return gather(exchange, batch, from, to);
    return slice(exchange, batch, from, to);
  }
  const auto* from = static_cast<const Real*>(in);
  auto* to = static_cast<Real*>(out);
  switch (exchange.conversion.kind) {
    case Conversion::slice:
      return slice(exchange, batch, from, to);
    case Conversion::zero_others:
      return zero_others(exchange, batch, from, to);
    case Conversion::all_reduce:
      return reduce(exchange, batch, from, to);
    case Conversion::reduce_scatter:
      return scatter(exchange, batch, from, to);
    case Conversion::all_gather:
      return gather(exchange, batch, from, to);
    case Conversion::halo:
      return halo(exchange, batch, from, to, exchange.shares, exchange.needs);
    case Conversion::halo_sum:
      return halo(exchange, batch, from, to, exchange.needs, exchange.shares);
    case Conversion::rotate:
      return rotate(exchange, batch, from, to);
    case Conversion::all_to_all:
      return all_to_all(exchange, batch, from, to);
  }
}

template <class Real>
template <class T>
void Exchanger<Real>::slice(const Exchange& exchange, int64_t batch, const T* in, T* out) const {
  const int axis = exchange.conversion.tensor_axis;
  const kernels::Operand whole = kernels::operand_of(stage_.local.graph, exchange.in, batch);
  const Shares shares = in_positions(exchange.shares, whole, axis);
  copy_share<T, true>(kernels::around(whole, axis), shares[static_cast<size_t>(member(exchange))], in, out);
}

template <class Real>
void Exchanger<Real>::zero_others(const Exchange& exchange, int64_t batch, const Real* in, Real* out) const {
  const int64_t count = graph::elements(stage_.local.graph.tensor(exchange.in), batch);
  if (member(exchange) != 0) {
    std::fill_n(out, count, Real(0));
  } else if (in != out) {
    std::copy_n(in, count, out);
  }
}

template <class Real>
void Exchanger<Real>::reduce(const Exchange& exchange, int64_t batch, const Real* in, Real* out) {
  const int64_t count = graph::elements(stage_.local.graph.tensor(exchange.in), plan::rows_sent(exchange, batch));
  if (in != out) std::copy_n(in, count, out);
  const auto reduction = exchange.reduction == plan::Reduction::max ? comm::Reduce::max : comm::Reduce::sum;
  groups_.over({exchange.conversion.axis})
      .run(comm::Operation::all_reduce, std::span(out, static_cast<size_t>(count)), exchange.why, reduction);
}

template <class Real>
void Exchanger<Real>::scatter(const Exchange& exchange, int64_t batch, const Real* in, Real* out) {
  const int axis = exchange.conversion.tensor_axis;
  const kernels::Operand whole = kernels::operand_of(stage_.local.graph, exchange.in, batch);
  const Around shape = kernels::around(whole, axis);
  const Shares shares = in_positions(exchange.shares, whole, axis);
  set_bounds(shares, shape.outer * shape.inner);
  const std::span<Real> packed = staging(bounds_.back());
  for (size_t i = 0; i < shares.size(); ++i) copy_share<Real, true>(shape, shares[i], in, packed.data() + bounds_[i]);
  comm::Communicator& group = groups_.over({exchange.conversion.axis});
  group.wait(group.start_shards(comm::Operation::reduce_scatter, packed, bounds_), exchange.why);
  const auto mine = static_cast<size_t>(member(exchange));
  std::copy(packed.data() + bounds_[mine], packed.data() + bounds_[mine + 1], out);
}

template <class Real>
template <class T>
void Exchanger<Real>::gather(const Exchange& exchange, int64_t batch, const T* in, T* out) {
  const int axis = exchange.conversion.tensor_axis;
  const kernels::Operand whole = kernels::operand_of(stage_.local.graph, exchange.out, batch);
  const Around shape = kernels::around(whole, axis);
  const Shares shares = in_positions(exchange.shares, whole, axis);
  set_bounds(shares, shape.outer * shape.inner);
  T* packed = reinterpret_cast<T*>(staging(bounds_.back()).data());  // a T is at most as large as a Real
  const auto mine = static_cast<size_t>(member(exchange));
  std::copy_n(in, bounds_[mine + 1] - bounds_[mine], packed + bounds_[mine]);
  comm::Communicator& group = groups_.over({exchange.conversion.axis});
  group.wait(group.start_shards(comm::Operation::all_gather, buffer_of(packed, bounds_.back()), bounds_), exchange.why);
  for (size_t i = 0; i < shares.size(); ++i) copy_share<T, false>(shape, shares[i], out, packed + bounds_[i]);
}

template <class Real>
void Exchanger<Real>::rotate(const Exchange& exchange, int64_t batch, const Real* in, Real* out) {
  const auto size = [&](graph::TensorId id) {
    return static_cast<size_t>(graph::elements(stage_.local.graph.tensor(id), batch));
  };
  comm::Communicator& group = groups_.over({exchange.conversion.axis});
  // A message's buffer is never written by the sender's side, whatever its type says.
  const comm::Buffer leaving(std::span(const_cast<Real*>(in), size(exchange.in)));
  const std::array<comm::PeerMessage, 2> messages = {
      {{comm::PeerMessage::send, (group.rank() + 1) % group.size(), leaving},
       {comm::PeerMessage::recv, (group.rank() + group.size() - 1) % group.size(),
        std::span(out, size(exchange.out))}}};
  group.wait(group.start(messages), exchange.why);
}

/// A block goes from each member to each: of the axis that was split what the sender has, of the other what the
/// receiver gets. Blocks are packed as the operation's chunks; those between two others are empty here.
template <class Real>
template <class T>
void Exchanger<Real>::all_to_all(const Exchange& exchange, int64_t batch, const T* in, T* out) {
  const Conversion& step = exchange.conversion;
  const kernels::Operand before = kernels::operand_of(stage_.local.graph, exchange.in, batch),
                         after = kernels::operand_of(stage_.local.graph, exchange.out, batch);
  const Around from = kernels::around(before, step.to_axis), to = kernels::around(after, step.tensor_axis);
  const Shares leaving = in_positions(exchange.needs, before, step.to_axis),
               coming = in_positions(exchange.shares, after, step.tensor_axis);
  const size_t members = leaving.size(), self = static_cast<size_t>(member(exchange));
  bounds_.assign(1, 0);
  for (size_t sender = 0; sender < members; ++sender) {
    for (size_t receiver = 0; receiver < members; ++receiver) {
      int64_t size = 0;
      if (sender == self) {
        size = plan::length(leaving[receiver]) * from.outer * from.inner;
      } else if (receiver == self) {
        size = plan::length(coming[sender]) * to.outer * to.inner;
      }
      bounds_.push_back(bounds_.back() + size);
    }
  }
  T* packed = reinterpret_cast<T*>(staging(bounds_.back()).data());  // a T is at most as large as a Real
  const auto block = [&](size_t sender, size_t receiver) { return packed + bounds_[sender * members + receiver]; };
  for (size_t i = 0; i < members; ++i) copy_share<T, true>(from, leaving[i], in, block(self, i));
  comm::Communicator& group = groups_.over({step.axis});
  group.wait(group.start_shards(comm::Operation::all_to_all, buffer_of(packed, bounds_.back()), bounds_), exchange.why);
  for (size_t i = 0; i < members; ++i) copy_share<T, false>(to, coming[i], out, block(i, self));
}

/// Each member holds `have`, and wants `want`: what others have of it comes from them, and is added where several have
/// it.
template <class Real>
void Exchanger<Real>::halo(const Exchange& exchange, int64_t batch, const Real* in, Real* out, const Shares& have,
                           const Shares& want) {
  const int axis = exchange.conversion.tensor_axis;
  const Around from = kernels::around(kernels::operand_of(stage_.local.graph, exchange.in, batch), axis),
               to = kernels::around(kernels::operand_of(stage_.local.graph, exchange.out, batch), axis);
  const auto self = static_cast<size_t>(member(exchange));
  const int64_t per_position = from.outer * from.inner;
  std::fill_n(out, to.outer * to.positions * to.inner, Real(0));
  int64_t numbers = 0;
  for (size_t i = 0; i < have.size(); ++i)
    numbers += (plan::length(plan::common(have[self], want[i])) + plan::length(plan::common(have[i], want[self]))) *
               per_position;
  Real* at = staging(numbers).data();
  std::vector<comm::PeerMessage> messages;
  std::vector<std::pair<std::vector<Interval>, const Real*>> arriving;
  for (size_t i = 0; i < have.size(); ++i) {
    const std::vector<Interval> leaves = moved(plan::common(have[self], want[i]), -have[self].front().begin),
                                comes = moved(plan::common(have[i], want[self]), -want[self].front().begin);
    const auto leaving = static_cast<size_t>(plan::length(leaves) * per_position),
               coming = static_cast<size_t>(plan::length(comes) * per_position);
    copy_share<Real, true>(from, leaves, in, at);
    if (i == self) {
      arriving.emplace_back(comes, at);
    } else {
      if (leaving > 0) messages.push_back({comm::PeerMessage::send, static_cast<int>(i), std::span(at, leaving)});
      arriving.emplace_back(comes, at + leaving);
      if (coming > 0)
        messages.push_back({comm::PeerMessage::recv, static_cast<int>(i), std::span(at + leaving, coming)});
    }
    at += leaving + coming;
  }
  comm::Communicator& group = groups_.over({exchange.conversion.axis});
  group.wait(group.start(messages), exchange.why);
  for (const auto& [share, values] : arriving) add_share(to, share, values, out);
}

template <class Real>
std::span<Real> Exchanger<Real>::staging(int64_t count) {
  const size_t bytes = static_cast<size_t>(count) * sizeof(Real);
  if (staging_.bytes() < bytes) staging_ = MemoryBlock(bytes);
  return staging_.as<Real>().first(static_cast<size_t>(count));
}

template <class Real>
void Exchanger<Real>::set_bounds(const Shares& shares, int64_t per_position) {
  bounds_.assign(1, 0);
  for (const auto& share : shares) bounds_.push_back(bounds_.back() + plan::length(share) * per_position);
}

template class Exchanger<float>;
template class Exchanger<double>;

}  // namespace lockstep::train
