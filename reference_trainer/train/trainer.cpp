#include "reference_trainer/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "adapters/contract/failure.h"
#include "reference_trainer/kernels/update.h"

namespace lockstep::train {
namespace {

using activity::Kind;
using plan::Instruction;
using profiler::Range;

bool is_communication(graph::OpKind kind) {
  return kind == graph::OpKind::exchange || kind == graph::OpKind::gather_shards ||
         kind == graph::OpKind::scatter_shards || kind == graph::OpKind::send || kind == graph::OpKind::receive;
}

}  // namespace

template <class Real>
Trainer<Real>::Trainer(const plan::Plan& plan, const workloads::Workload& workload,
                       const workloads::SafetensorsFile& data, comm::Communicator& communicator, TrainerOptions options)
    : plan_(plan),
      workload_(workload),
      groups_(communicator, plan.mesh),
      options_(options),
      optimizer_(optimizer(workload.recipe.optimizer)),
      state_(plan, workloads::optimizer_arrays(workload.recipe.optimizer)),
      scratch_gradients_(plan.adds_gradients() ? static_cast<size_t>(plan.flat_count) * sizeof(Real) : 0),
      stages_(stage_runs(data)),
      handles_(plan.buckets.size()) {
  context_.seed = workload.recipe.seed;
  if (!options_.recorder) return;
  track_ = options_.recorder->track("main");
  load_name_ = options_.recorder->intern("load");
  wait_name_ = options_.recorder->intern("wait gradients");
  update_name_ = options_.recorder->intern(optimizer_.name);
  for (size_t k = 0; k < stages_.size(); ++k) {
    for (const graph::Op& op : plan_.stages[k].graph().ops)
      stages_[k].op_names.push_back(options_.recorder->intern(op.name));
  }
}

template <class Real>
std::vector<typename Trainer<Real>::StageRun> Trainer<Real>::stage_runs(const workloads::SafetensorsFile& data) {
  std::vector<StageRun> runs;
  for (size_t k = 0; k < plan_.stages.size(); ++k) {
    runs.push_back({std::make_unique<Exchanger<Real>>(plan_, k, groups_, state_),
                    std::make_unique<Engine<Real>>(k, state_, options_.engine),
                    std::make_unique<Feed<Real>>(plan_.stages[k].graph(), workload_, data, "train"),
                    {},
                    std::vector<Bound*>(static_cast<size_t>(plan_.activation_slots[k]), nullptr)});
  }
  return runs;
}

template <class Real>
int64_t Trainer<Real>::arena_bytes() const {
  int64_t bytes = 0;
  for (const StageRun& stage : stages_) bytes += stage.engine->arena_bytes();
  return bytes;
}

template <class Real>
StepResult Trainer<Real>::step(int64_t step, std::span<const int64_t> ids, Norms* gradients) {
  share_.clear();
  for (size_t i = static_cast<size_t>(plan_.data_index()); i < ids.size(); i += static_cast<size_t>(plan_.data_count()))
    share_.push_back(ids[i]);
  const int64_t positions = plan_.whole.positions_per_sample,
                global_positions = static_cast<int64_t>(ids.size()) * positions;
  context_.step = step;
  context_.loss_scale = 1.0 / static_cast<double>(global_positions);
  loss_sum_ = 0;
  loss_positions_ = 0;
  added_.assign(plan_.slots.size(), false);
  gradient_norms_ = gradients;
  const comm::Counters before = groups_.all().counters();
  if (options_.recorder) options_.recorder->set_step(static_cast<int32_t>(step));
  if (plan_.by_arrival()) run_by_arrival();
  for (const Instruction& instruction : plan_.body) {
    if (!plan_.by_arrival() || instruction.microbatch < 0) execute(instruction);
  }

  StepResult result;
  result.samples = static_cast<int64_t>(share_.size());
  result.positions = result.samples * positions;
  result.loss_positions = loss_positions_;
  if (loss_positions_ > 0)
    result.loss = loss_sum_ * static_cast<double>(global_positions) / static_cast<double>(loss_positions_);
  result.bytes_sent = groups_.all().counters().bytes_sent - before.bytes_sent;
  result.messages = groups_.all().counters().messages - before.messages;
  return result;
}

template <class Real>
void Trainer<Real>::execute(const Instruction& instruction) {
  switch (instruction.op) {
    case Instruction::load:
      return load(instruction);
    case Instruction::run:
      return run(instruction);
    case Instruction::accumulate:
      return accumulate(instruction);
    case Instruction::share:
      return share();
    case Instruction::start:
      return start(instruction.first);
    case Instruction::gather:
      return gather(instruction.first);
    case Instruction::wait:
      return wait(instruction.first);
    case Instruction::decide:
      return decide();
    case Instruction::probe:
      return probe();
    case Instruction::update:
      return apply();
  }
}

template <class Real>
std::span<Real> Trainer<Real>::gradients_of_microbatch() {
  return scratch_gradients_.bytes() > 0 ? scratch_gradients_.as<Real>() : state_.gradients();
}

template <class Real>
void Trainer<Real>::load(const Instruction& instruction) {
  const int32_t microbatch = instruction.microbatch;
  const Range range(options_.recorder, track_, load_name_, Kind::data, microbatch);
  StageRun& stage = stage_of(instruction);
  const auto share = static_cast<int64_t>(share_.size());
  const int64_t begin = plan::microbatch_begin(share, microbatch, plan_.microbatches);
  const int64_t end = plan::microbatch_begin(share, microbatch + 1, plan_.microbatches);
  Bound*& bound = stage.bound[static_cast<size_t>(instruction.slot)];
  bound = end > begin ? &stage.engine->bound(end - begin, true, gradients_of_microbatch(), instruction.slot) : nullptr;
  if (!bound) {  // fewer samples than ranks or microbatches: adds nothing
    const bool in_place = !plan_.adds_gradients() && !plan_.scatters_in_backward();
    if (in_place) std::ranges::fill(state_.gradients(), Real(0));
    return;
  }
  bound->samples = end - begin;
  stage.feed->fill(*stage.engine, *bound,
                   std::span(share_).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

template <class Real>
void Trainer<Real>::run(const Instruction& instruction) {
  StageRun& stage = stage_of(instruction);
  const graph::Graph& graph = plan_.stages[static_cast<size_t>(instruction.stage)].graph();
  Bound* bound = stage.bound[static_cast<size_t>(instruction.slot)];
  context_.microbatch = instruction.microbatch;
  context_.exchanges = stage.exchanger.get();
  if (!bound) {
    // Without samples nothing is computed, but others may need what this rank keeps.
    for (int32_t op = instruction.first; op < instruction.last; ++op)
      stage.exchanger->attend(graph.ops[static_cast<size_t>(op)], context_);
    return;
  }
  context_.samples = bound->samples;
  for (int32_t op = instruction.first; op < instruction.last; ++op) {
    if (options_.recorder) {
      const bool waits = is_communication(graph.ops[static_cast<size_t>(op)].kind);
      const Range range(options_.recorder, track_, stage.op_names[static_cast<size_t>(op)],
                        waits ? Kind::wait : Kind::compute, instruction.microbatch);
      bound->executable->run(op, context_);
    } else {
      bound->executable->run(op, context_);
    }
    if (in_flight_) groups_.poll();
  }
  if (instruction.last == graph.forward_ops && graph.loss != graph::kNoTensor) {
    loss_sum_ += static_cast<double>(stage.engine->metric(*bound, graph.loss));
    loss_positions_ += bound->samples * graph.positions_per_sample;
  }
}

/// The first microbatch's gradients replace the last step's. One without samples adds nothing.
template <class Real>
void Trainer<Real>::accumulate(const Instruction& instruction) {
  const bool samples = stage_of(instruction).bound[static_cast<size_t>(instruction.slot)] != nullptr;
  for (size_t i = 0; i < plan_.slots.size(); ++i) {
    const plan::Slot& slot = plan_.slots[i];
    if (slot.stage != static_cast<size_t>(instruction.stage) || slot.ready_after < instruction.first ||
        slot.ready_after >= instruction.last || !samples)
      continue;
    Real* sum = &state_.gradients()[static_cast<size_t>(slot.offset)];
    const Real* part = &scratch_gradients_.as<Real>()[static_cast<size_t>(slot.offset)];
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
void Trainer<Real>::share() {
  clear_what_no_sample_reached();
  for (const plan::Shared& shared : plan_.shared) {
    const std::vector<Real> sum = sum_of_owners(shared);
    for (const plan::Shared::Owner& owner : shared.owners) {
      if (owner.slot < 0) continue;
      const plan::Slot& slot = plan_.slots[static_cast<size_t>(owner.slot)];
      std::ranges::copy(sum, state_.gradients().begin() + slot.offset);
    }
  }
}

template <class Real>
std::vector<Real> Trainer<Real>::sum_of_owners(const plan::Shared& shared) {
  comm::Communicator& group = groups_.over({plan::Axis::pp});
  const auto mine = std::ranges::find_if(shared.owners, [](const auto& owner) { return owner.slot >= 0; });
  const auto count = static_cast<size_t>(plan_.slots[static_cast<size_t>(mine->slot)].count);
  std::vector<std::vector<Real>> parts;
  std::vector<comm::PeerMessage> messages;
  parts.reserve(shared.owners.size());
  for (const plan::Shared::Owner& owner : shared.owners) {
    parts.emplace_back(count);
    if (owner.slot < 0) {
      messages.push_back({comm::PeerMessage::recv, owner.coordinate, std::span(parts.back()), 0});
      continue;
    }
    const plan::Slot& slot = plan_.slots[static_cast<size_t>(owner.slot)];
    std::copy_n(state_.gradients().begin() + slot.offset, count, parts.back().begin());
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

/// A step with no sample for this rank leaves gradients of zero.
template <class Real>
void Trainer<Real>::clear_what_no_sample_reached() {
  if (!plan_.adds_gradients()) return;
  for (size_t i = 0; i < plan_.slots.size(); ++i) {
    const plan::Slot& slot = plan_.slots[i];
    if (!added_[i]) std::fill_n(state_.gradients().begin() + slot.offset, slot.count, Real(0));
    added_[i] = true;
  }
}

template <class Real>
void Trainer<Real>::start(int32_t index) {
  const plan::Bucket& bucket = plan_.buckets[static_cast<size_t>(index)];
  const bool holds_control = bucket.offset + bucket.count == plan_.flat_count;
  const std::span<Real> gradients = state_.gradients();
  clear_what_no_sample_reached();
  if (holds_control)
    gradients[static_cast<size_t>(plan_.control_slot())] = std::isfinite(loss_sum_) ? Real(0) : Real(1);
  const auto part = gradients.subspan(static_cast<size_t>(bucket.offset), static_cast<size_t>(bucket.count));
  comm::Communicator& group = groups_.over(bucket.axes);
  handles_[static_cast<size_t>(index)] =
      plan_.zero == 0 ? group.start(comm::Operation::all_reduce, part, comm::Reduce::sum, plan_.algorithm)
                      : group.start(comm::Operation::reduce_scatter, part);
  in_flight_ = true;
}

/// The parameters of a bucket, of which each rank has updated its shard.
template <class Real>
void Trainer<Real>::gather(int32_t index) {
  const plan::Bucket& bucket = plan_.buckets[static_cast<size_t>(index)];
  handles_[static_cast<size_t>(index)] =
      groups_.over(bucket.axes)
          .start(comm::Operation::all_gather,
                 state_.parameters().subspan(static_cast<size_t>(bucket.offset), static_cast<size_t>(bucket.count)));
}

template <class Real>
void Trainer<Real>::wait(int32_t index) {
  const plan::Bucket& bucket = plan_.buckets[static_cast<size_t>(index)];
  const Range range(options_.recorder, track_, wait_name_, Kind::wait, -1, bucket.count * int64_t{sizeof(Real)});
  groups_.over(bucket.axes).wait(handles_[static_cast<size_t>(index)], "gradients");
  if (static_cast<size_t>(index) + 1 == plan_.buckets.size()) in_flight_ = false;
}

/// The exchange of the gradients tells in its control slot; of sharded ones only one rank would see it.
template <class Real>
bool Trainer<Real>::another_is_not_finite() {
  if (plan_.zero > 0 || plan_.schedule) return groups_.all().any(!std::isfinite(loss_sum_), "all ranks' losses");
  Real& control = state_.gradients()[static_cast<size_t>(plan_.control_slot())];
  const bool told = !plan_.buckets.empty() && control != Real(0);
  control = Real(0);
  return told;
}

template <class Real>
void Trainer<Real>::decide() {
  clear_what_no_sample_reached();
  if (plan_.schedule) {
    for (StageRun& stage : stages_) stage.exchanger->finish_sends();
  }
  const bool elsewhere = another_is_not_finite();
  if (std::isfinite(loss_sum_) && !elsewhere) return;
  if (plan_.mesh.ranks() > 1) leave_together();
  throw Failure(
      "non_finite_loss",
      fmt::format("step {}: the loss {} is not finite; a lower lr, or clip=1, may help", context_.step + 1,
                  std::isfinite(loss_sum_) ? "of another rank" : fmt::format("of this rank ({})", loss_sum_)));
}

/// Waits until every rank has decided: a rank that throws is gone for the others, and one that had not yet looked at
/// its finished exchange would report a lost peer instead of the loss.
template <class Real>
void Trainer<Real>::leave_together() {
  try {
    groups_.all().barrier("all ranks to see that the loss is not finite");
  } catch (const Failure&) {
    // Another rank came through first and is gone already; this one has decided too.
  }
}

template <class Real>
void Trainer<Real>::probe() {
  const std::span<Real> gradients = state_.gradients();
  if (options_.gradient_fault != 1)
    kernels::scale(gradients.data(), static_cast<int64_t>(gradients.size()), options_.gradient_fault);
  if (gradient_norms_) *gradient_norms_ = named(gradient_sums());
  if (workload_.recipe.clip) norm_ = global_norm();
}

/// One a parameter of the whole model: each element is counted at its first holder. `held` says what the array has, and
/// `valid` what of that is its final value.
template <class Real>
std::vector<double> Trainer<Real>::sums_of_squares(std::span<const Real> array, const plan::Held& held,
                                                   const plan::Held& valid) {
  std::vector<double> sums(plan_.whole.parameters.size(), 0);
  for (const plan::Slot& slot : plan_.slots) {
    if (!plan_.is_first_holder(slot, valid.sharded)) continue;
    double& sum = sums[slot.index];
    for (const plan::Held::Range& piece : valid.within(slot.offset, slot.count))
      sum += kernels::sum_of_squares(array.data() + held.at(piece.begin), piece.count);
  }
  const std::vector<plan::Axis> axes = plan_.holder_axes(valid.sharded);
  if (!axes.empty()) groups_.over(axes).run(comm::Operation::all_reduce, std::span(sums), "norms");
  return sums;
}

template <class Real>
Norms Trainer<Real>::named(const std::vector<double>& sums) const {
  Norms norms;
  for (size_t i = 0; i < sums.size(); ++i)
    norms[plan_.whole.tensor(plan_.whole.parameters[i]).name] = std::sqrt(sums[i]);
  return norms;
}

template <class Real>
Norms Trainer<Real>::parameter_norms() {
  return named(sums_of_squares(state_.parameters(), plan_.parameters, plan_.parameters));
}

template <class Real>
double Trainer<Real>::global_norm() {
  const std::span<Real> gradients = state_.gradients();
  if (plan_.holder_axes(plan_.optimizer.sharded).empty())
    return std::sqrt(kernels::sum_of_squares(gradients.data(), static_cast<int64_t>(gradients.size())));
  double sum = 0;
  for (double part : gradient_sums()) sum += part;
  return std::sqrt(sum);
}

template <class Real>
void Trainer<Real>::apply() {
  const Range range(options_.recorder, track_, update_name_, Kind::optimizer);
  const double lr = learning_rate(workload_.recipe, context_.step, workload_.steps);
  const auto sums = [this] {
    return TensorSums{sums_of_squares(state_.parameters(), plan_.parameters, plan_.optimizer), gradient_sums()};
  };
  update(optimizer_, state_, workload_.recipe, {context_.step, lr, clip_factor(workload_.recipe, norm_)}, sums);
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace lockstep::train
