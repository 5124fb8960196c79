#include "reference_trainer/train/layout_exchanger.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/operand.h"
#include "reference_trainer/kernels/update.h"

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

/// Adds packed positions to those of a tensor. What is no real number has nothing to be added to: one member has each.
template <class T>
void add_share(const Around& shape, const std::vector<Interval>& share, const T* packed, T* full) {
  if constexpr (!std::is_floating_point_v<T>) {
    copy_share<T, false>(shape, share, full, packed);
  } else {
    for (int64_t o = 0; o < shape.outer; ++o) {
      for (const Interval& interval : share) {
        const int64_t count = interval.size() * shape.inner;
        kernels::accumulate(full + (o * shape.positions + interval.begin) * shape.inner, packed, count);
        packed += count;
      }
    }
  }
}

/// Numbers are moved as they are, whatever they mean: ids too are 4 bytes.
template <class T>
comm::Buffer buffer_of(T* values, int64_t count) {
  return {reinterpret_cast<std::byte*>(values), count, comm::element_of(sizeof(T))};
}

std::vector<Interval> moved(std::vector<Interval> intervals, int64_t by) {
  for (Interval& interval : intervals) interval.begin += by, interval.end += by;
  return intervals;
}

}  // namespace

template <class Real>
void LayoutExchanger<Real>::run(const Exchange& exchange, int64_t batch, const void* in, void* out) {
  const graph::Type type = graph_.tensor(exchange.in).type;
  if (type == graph::Type::index)
    return move(exchange, batch, static_cast<const int32_t*>(in), static_cast<int32_t*>(out));
  if (graph::is_16_bit(type))
    return move(exchange, batch, static_cast<const uint16_t*>(in), static_cast<uint16_t*>(out));
  const auto* from = static_cast<const Real*>(in);
  auto* to = static_cast<Real*>(out);
  switch (exchange.conversion.kind) {
    case Conversion::zero_others:
      return zero_others(exchange, batch, from, to);
    case Conversion::all_reduce:
      return reduce(exchange, batch, from, to);
    case Conversion::reduce_scatter:
      return scatter(exchange, batch, from, to);
    case Conversion::halo_sum:
      return halo(exchange, batch, from, to, exchange.needs, exchange.shares);
    case Conversion::slice:
    case Conversion::all_gather:
    case Conversion::halo:
    case Conversion::rotate:
    case Conversion::all_to_all:
      return move(exchange, batch, from, to);
  }
}

template <class Real>
template <class T>
void LayoutExchanger<Real>::move(const Exchange& exchange, int64_t batch, const T* in, T* out) {
  switch (exchange.conversion.kind) {
    case Conversion::slice:
      return slice(exchange, batch, in, out);
    case Conversion::all_gather:
      return gather(exchange, batch, in, out);
    case Conversion::halo:
      return halo(exchange, batch, in, out, exchange.shares, exchange.needs);
    case Conversion::rotate:
      return rotate(exchange, batch, in, out);
    case Conversion::all_to_all:
      return all_to_all(exchange, batch, in, out);
    case Conversion::zero_others:
    case Conversion::all_reduce:
    case Conversion::reduce_scatter:
    case Conversion::halo_sum:
      LOCKSTEP_INVARIANT(false, "{}: what only moves numbers does not change them", exchange.why);
  }
}

/// Shares of samples are counted in ranks' batches.
template <class Real>
typename LayoutExchanger<Real>::Pieces LayoutExchanger<Real>::pieces_of(graph::TensorId longer, int axis, Shares shares,
                                                                        int64_t batch) const {
  const kernels::Operand operand = kernels::operand_of(graph_, longer, batch);
  const auto at = static_cast<size_t>(axis);
  const int64_t each = operand.dims[at] / (*operand.shape)[at].size;
  for (auto& share : shares) {
    for (Interval& interval : share) interval = {interval.begin * each, interval.end * each};
  }
  return {kernels::around(operand, axis), std::move(shares)};
}

template <class Real>
template <class T>
void LayoutExchanger<Real>::slice(const Exchange& exchange, int64_t batch, const T* in, T* out) const {
  const Pieces pieces = pieces_of(exchange.in, exchange.conversion.tensor_axis, exchange.shares, batch);
  copy_share<T, true>(pieces.shape, pieces.shares[static_cast<size_t>(member(exchange))], in, out);
}

template <class Real>
void LayoutExchanger<Real>::zero_others(const Exchange& exchange, int64_t batch, const Real* in, Real* out) const {
  const int64_t count = graph::elements(graph_.tensor(exchange.in), batch);
  if (member(exchange) != 0) {
    std::fill_n(out, count, Real(0));
  } else if (in != out) {
    std::copy_n(in, count, out);
  }
}

template <class Real>
void LayoutExchanger<Real>::reduce(const Exchange& exchange, int64_t batch, const Real* in, Real* out) {
  const int64_t count = graph::elements(graph_.tensor(exchange.in), plan::rows_sent(exchange, batch));
  if (in != out) std::copy_n(in, count, out);
  const auto reduction = exchange.reduction == plan::Reduction::max ? comm::Reduce::max : comm::Reduce::sum;
  groups_.over({exchange.conversion.axis})
      .run(comm::Operation::all_reduce, std::span(out, static_cast<size_t>(count)), exchange.why, reduction);
}

template <class Real>
void LayoutExchanger<Real>::scatter(const Exchange& exchange, int64_t batch, const Real* in, Real* out) {
  const auto [shape, shares] = pieces_of(exchange.in, exchange.conversion.tensor_axis, exchange.shares, batch);
  set_bounds(shares, shape.outer * shape.inner);
  const std::span<Real> packed = staging_.take<Real>(bounds_.back());
  for (size_t i = 0; i < shares.size(); ++i) copy_share<Real, true>(shape, shares[i], in, packed.data() + bounds_[i]);
  comm::Communicator& group = groups_.over({exchange.conversion.axis});
  group.wait(group.start_shards(comm::Operation::reduce_scatter, packed, bounds_), exchange.why);
  const auto mine = static_cast<size_t>(member(exchange));
  std::copy(packed.data() + bounds_[mine], packed.data() + bounds_[mine + 1], out);
}

template <class Real>
template <class T>
void LayoutExchanger<Real>::gather(const Exchange& exchange, int64_t batch, const T* in, T* out) {
  const auto [shape, shares] = pieces_of(exchange.out, exchange.conversion.tensor_axis, exchange.shares, batch);
  set_bounds(shares, shape.outer * shape.inner);
  T* packed = reinterpret_cast<T*>(staging_.take<Real>(bounds_.back()).data());  // a T is at most as large as a Real
  const auto mine = static_cast<size_t>(member(exchange));
  std::copy_n(in, bounds_[mine + 1] - bounds_[mine], packed + bounds_[mine]);
  comm::Communicator& group = groups_.over({exchange.conversion.axis});
  group.wait(group.start_shards(comm::Operation::all_gather, buffer_of(packed, bounds_.back()), bounds_), exchange.why);
  for (size_t i = 0; i < shares.size(); ++i) copy_share<T, false>(shape, shares[i], out, packed + bounds_[i]);
}

template <class Real>
template <class T>
void LayoutExchanger<Real>::rotate(const Exchange& exchange, int64_t batch, const T* in, T* out) {
  const auto size = [&](graph::TensorId id) { return graph::elements(graph_.tensor(id), batch); };
  comm::Communicator& group = groups_.over({exchange.conversion.axis});
  // A message's buffer is never written by the sender's side, whatever its type says.
  const comm::Buffer leaving = buffer_of(const_cast<T*>(in), size(exchange.in));
  const std::array<comm::PeerMessage, 2> messages = {
      {{comm::PeerMessage::send, (group.rank() + 1) % group.size(), leaving},
       {comm::PeerMessage::recv, (group.rank() + group.size() - 1) % group.size(),
        buffer_of(out, size(exchange.out))}}};
  group.wait(group.start(messages), exchange.why);
}

/// A block goes from each member to each: of the axis that was split what the sender has, of the other what the
/// receiver gets. Blocks are packed as the operation's chunks; those between two others are empty here.
template <class Real>
template <class T>
void LayoutExchanger<Real>::all_to_all(const Exchange& exchange, int64_t batch, const T* in, T* out) {
  const Conversion& step = exchange.conversion;
  const auto [from, leaving] = pieces_of(exchange.in, step.to_axis, exchange.needs, batch);
  const auto [to, coming] = pieces_of(exchange.out, step.tensor_axis, exchange.shares, batch);
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
  T* packed = reinterpret_cast<T*>(staging_.take<Real>(bounds_.back()).data());  // a T is at most as large as a Real
  const auto block = [&](size_t sender, size_t receiver) { return packed + bounds_[sender * members + receiver]; };
  for (size_t i = 0; i < members; ++i) copy_share<T, true>(from, leaving[i], in, block(self, i));
  comm::Communicator& group = groups_.over({step.axis});
  group.wait(group.start_shards(comm::Operation::all_to_all, buffer_of(packed, bounds_.back()), bounds_), exchange.why);
  for (size_t i = 0; i < members; ++i) copy_share<T, false>(to, coming[i], out, block(i, self));
}

/// Each member holds `have`, and wants `want`: what others have of it comes from them, and is added where several have
/// it.
template <class Real>
template <class T>
void LayoutExchanger<Real>::halo(const Exchange& exchange, int64_t batch, const T* in, T* out, const Shares& have,
                                 const Shares& want) {
  const int axis = exchange.conversion.tensor_axis;
  const Around from = kernels::around(kernels::operand_of(graph_, exchange.in, batch), axis),
               to = kernels::around(kernels::operand_of(graph_, exchange.out, batch), axis);
  const auto self = static_cast<size_t>(member(exchange));
  const int64_t per_position = from.outer * from.inner;
  std::fill_n(out, to.outer * to.positions * to.inner, T(0));
  int64_t numbers = 0;
  for (size_t i = 0; i < have.size(); ++i)
    numbers += (plan::length(plan::common(have[self], want[i])) + plan::length(plan::common(have[i], want[self]))) *
               per_position;
  T* at = reinterpret_cast<T*>(staging_.take<Real>(numbers).data());  // a T is at most as large as a Real
  std::vector<comm::PeerMessage> messages;
  std::vector<std::pair<std::vector<Interval>, const T*>> arriving;
  for (size_t i = 0; i < have.size(); ++i) {
    const std::vector<Interval> leaves = moved(plan::common(have[self], want[i]), -have[self].front().begin),
                                comes = moved(plan::common(have[i], want[self]), -want[self].front().begin);
    const int64_t leaving = plan::length(leaves) * per_position, coming = plan::length(comes) * per_position;
    copy_share<T, true>(from, leaves, in, at);
    if (i == self) {
      arriving.emplace_back(comes, at);
    } else {
      if (leaving > 0) messages.push_back({comm::PeerMessage::send, static_cast<int>(i), buffer_of(at, leaving)});
      arriving.emplace_back(comes, at + leaving);
      if (coming > 0)
        messages.push_back({comm::PeerMessage::recv, static_cast<int>(i), buffer_of(at + leaving, coming)});
    }
    at += leaving + coming;
  }
  comm::Communicator& group = groups_.over({exchange.conversion.axis});
  group.wait(group.start(messages), exchange.why);
  for (const auto& [share, values] : arriving) add_share(to, share, values, out);
}

template <class Real>
void LayoutExchanger<Real>::set_bounds(const Shares& shares, int64_t per_position) {
  bounds_.assign(1, 0);
  for (const auto& share : shares) bounds_.push_back(bounds_.back() + plan::length(share) * per_position);
}

template class LayoutExchanger<float>;
template class LayoutExchanger<double>;

}  // namespace lockstep::train
