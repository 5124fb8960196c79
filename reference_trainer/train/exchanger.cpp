#include "reference_trainer/train/exchanger.h"

#include <algorithm>

#include "reference_trainer/kernels/update.h"
#include "reference_trainer/plan/prefetch.h"

namespace lockstep::train {

template <class Real>
void Exchanger<Real>::run(const graph::Op& op, const kernels::StepContext& context, int64_t batch,
                          std::span<void* const> in, std::span<void* const> out) {
  const auto index = static_cast<size_t>(op.attr.exchange);
  if (op.kind == graph::OpKind::gather_shards) return gather_shards(op, out);
  if (op.kind == graph::OpKind::scatter_shards) return scatter_shards(plan_.buckets[index], in, context.microbatch);
  if (op.kind == graph::OpKind::send) return messages_.send(op, context.microbatch, context.samples, in);
  if (op.kind == graph::OpKind::receive) return messages_.receive(op, context.microbatch, context.samples, out);
  layouts_.run(stage_.local.exchanges[index], batch, in[0], out[0]);
}

template <class Real>
void Exchanger<Real>::attend(const graph::Op& op, const kernels::StepContext& context) {
  // Compute is left out, and so is an exchange between layouts: its ranks have the same samples, or as many, so none of
  // them comes.
  if (op.kind == graph::OpKind::gather_shards || op.kind == graph::OpKind::scatter_shards) run(op, context, 0, {}, {});
}

template <class Real>
void Exchanger<Real>::begin_gather(int32_t bucket_index) {
  const plan::Bucket& bucket = plan_.buckets[static_cast<size_t>(bucket_index)];
  Message& gather = gathers_[bucket_index];
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
  if (plan_.prefetch == 0) return staging_.take<Real>(count);
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
  const std::span<Real> packed = staging_.take<Real>(bucket.count);
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
  if (microbatch == plan_.first_microbatch(bucket.stage)) {
    std::copy_n(packed.data() + mine.begin, mine.size(), kept);
  } else {
    kernels::accumulate(kept, packed.data() + mine.begin, mine.size());
  }
}

template class Exchanger<float>;
template class Exchanger<double>;

}  // namespace lockstep::train
