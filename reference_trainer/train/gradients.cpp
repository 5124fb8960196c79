#include "reference_trainer/train/gradients.h"

#include <algorithm>
#include <set>

#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/update.h"

namespace lockstep::train {

template <class Real>
Gradients<Real>::Gradients(const plan::Plan& plan, Groups& groups, ModelState<Real>& state,
                           profiler::Recorder* recorder)
    : plan_(plan),
      groups_(groups),
      state_(state),
      of_microbatch_(plan.adds_gradients() ? static_cast<size_t>(plan.flat_count) * sizeof(Real) : 0),
      under_way_(plan.buckets.size()),
      recorder_(recorder) {
  if (!recorder_) return;
  track_ = recorder_->track("main");
  wait_name_ = recorder_->intern("wait gradients");
}

template <class Real>
std::span<Real> Gradients<Real>::of_microbatch() {
  return of_microbatch_.bytes() > 0 ? of_microbatch_.as<Real>() : state_.gradients();
}

/// The first microbatch's gradients replace the last step's.
template <class Real>
void Gradients<Real>::accumulate(const plan::Instruction& instruction) {
  for (size_t i = 0; i < plan_.slots.size(); ++i) {
    const plan::Slot& slot = plan_.slots[i];
    if (slot.stage != static_cast<size_t>(instruction.stage) || slot.ready_after < instruction.first ||
        slot.ready_after >= instruction.last)
      continue;
    Real* sum = &state_.gradients()[static_cast<size_t>(slot.offset)];
    const Real* part = &of_microbatch_.as<Real>()[static_cast<size_t>(slot.offset)];
    if (added_[i]) {
      kernels::accumulate(sum, part, slot.count);
    } else {
      std::copy_n(part, slot.count, sum);
    }
    added_[i] = true;
  }
}

/// Owners add up in their order, so all of them get the same bits.
template <class Real>
void Gradients<Real>::share() {
  clear_what_no_sample_reached();
  for (const plan::Shared& shared : plan_.shared) {
    const std::vector<Real> sum = sum_of_owners(shared);
    for (const plan::Shared::Owner& owner : shared.owners) {
      if (owner.slot >= 0) std::ranges::copy(sum, kept_of(plan_.slots[static_cast<size_t>(owner.slot)]).begin());
    }
  }
}

/// What this rank keeps of a gradient: all of it, or its shard, which is one piece of one bucket.
template <class Real>
std::span<Real> Gradients<Real>::kept_of(const plan::Slot& slot) {
  const std::vector<plan::Held::Range> ranges = plan_.gradients.within(slot.offset, slot.count);
  LOCKSTEP_INVARIANT(ranges.size() <= 1, "slot at {}: {} pieces of a gradient that stages share", slot.offset,
                     ranges.size());
  if (ranges.empty()) return {};
  return state_.gradients().subspan(static_cast<size_t>(ranges[0].at), static_cast<size_t>(ranges[0].count));
}

template <class Real>
std::vector<Real> Gradients<Real>::sum_of_owners(const plan::Shared& shared) {
  comm::Communicator& group = groups_.over({plan::Axis::pp});
  const auto mine = std::ranges::find_if(shared.owners, [](const auto& owner) { return owner.slot >= 0; });
  const size_t count = kept_of(plan_.slots[static_cast<size_t>(mine->slot)]).size();
  if (count == 0) return {};  // more ranks than elements: whoever has this shard elsewhere has nothing either
  std::vector<std::vector<Real>> parts;
  std::vector<comm::PeerMessage> messages;
  parts.reserve(shared.owners.size());
  for (const plan::Shared::Owner& owner : shared.owners) {
    parts.emplace_back(count);
    if (owner.slot < 0) {
      messages.push_back({comm::PeerMessage::recv, owner.coordinate, std::span(parts.back()), 0});
      continue;
    }
    std::ranges::copy(kept_of(plan_.slots[static_cast<size_t>(owner.slot)]), parts.back().begin());
    std::set<int> peers;
    for (const plan::Shared::Owner& other : shared.owners) {
      if (other.slot < 0 && peers.insert(other.coordinate).second)
        messages.push_back({comm::PeerMessage::send, other.coordinate, std::span(parts.back()), 0});
    }
  }
  group.wait(group.start(messages), "gradients of parameters that several stages hold");
  for (size_t k = 1; k < parts.size(); ++k)
    kernels::accumulate(parts[0].data(), parts[k].data(), static_cast<int64_t>(count));
  return std::move(parts[0]);
}

template <class Real>
void Gradients<Real>::clear_what_no_sample_reached() {
  if (plan_.scatters_in_backward()) {
    // Shards are written where the stage's first microbatch is scattered; a replica may get none.
    for (const plan::Slot& slot : plan_.slots) {
      if (plan_.first_microbatch(slot.stage) == plan_.microbatches) std::ranges::fill(kept_of(slot), Real(0));
    }
  }
  if (!plan_.adds_gradients()) return;
  for (size_t i = 0; i < plan_.slots.size(); ++i) {
    const plan::Slot& slot = plan_.slots[i];
    if (!added_[i]) std::fill_n(state_.gradients().begin() + slot.offset, slot.count, Real(0));
    added_[i] = true;
  }
}

template <class Real>
void Gradients<Real>::start(int32_t bucket_index, bool finite_loss) {
  const plan::Bucket& bucket = plan_.buckets[static_cast<size_t>(bucket_index)];
  const bool holds_control = bucket.offset + bucket.count == plan_.flat_count;
  const std::span<Real> gradients = state_.gradients();
  clear_what_no_sample_reached();
  if (holds_control) gradients[static_cast<size_t>(plan_.control_slot())] = finite_loss ? Real(0) : Real(1);
  const auto part = gradients.subspan(static_cast<size_t>(bucket.offset), static_cast<size_t>(bucket.count));
  comm::Communicator& group = groups_.shards(plan_, bucket);
  comm::Handle handle = plan_.zero == 0
                            ? group.start(comm::Operation::all_reduce, part, comm::Reduce::sum, plan_.algorithm)
                            : group.start(comm::Operation::reduce_scatter, part);
  under_way_[static_cast<size_t>(bucket_index)] = {handle, "gradients"};
  exchanging_ = true;
}

template <class Real>
void Gradients<Real>::gather_parameters(int32_t bucket_index) {
  const plan::Bucket& bucket = plan_.buckets[static_cast<size_t>(bucket_index)];
  const auto part = state_.parameters().subspan(static_cast<size_t>(bucket.offset), static_cast<size_t>(bucket.count));
  under_way_[static_cast<size_t>(bucket_index)] = {
      groups_.shards(plan_, bucket).start(comm::Operation::all_gather, part), "parameters"};
}

template <class Real>
void Gradients<Real>::wait(int32_t bucket_index) {
  const plan::Bucket& bucket = plan_.buckets[static_cast<size_t>(bucket_index)];
  const profiler::Range range(recorder_, track_, wait_name_, activity::Kind::wait, -1,
                              bucket.count * int64_t{sizeof(Real)});
  const UnderWay& exchange = under_way_[static_cast<size_t>(bucket_index)];
  groups_.shards(plan_, bucket).wait(exchange.handle, exchange.what);
  if (static_cast<size_t>(bucket_index) + 1 == plan_.buckets.size()) exchanging_ = false;
}

template <class Real>
void Gradients<Real>::replicate(int32_t bucket_index) {
  const plan::Bucket& bucket = plan_.buckets[static_cast<size_t>(bucket_index)];
  const collective::Range mine = plan_.shard_of(bucket);
  if (mine.size() == 0) return;
  const profiler::Range range(recorder_, track_, wait_name_, activity::Kind::wait, -1,
                              mine.size() * int64_t{sizeof(Real)});
  const auto at = static_cast<size_t>(plan_.gradients.at(bucket.offset + mine.begin));
  groups_.replicas(plan_).run(comm::Operation::all_reduce,
                              state_.gradients().subspan(at, static_cast<size_t>(mine.size())),
                              "shards of gradients in other groups");
}

template class Gradients<float>;
template class Gradients<double>;

}  // namespace lockstep::train
