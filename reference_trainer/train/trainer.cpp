#include "reference_trainer/train/trainer.h"

#include <algorithm>
#include <cmath>

#include "adapters/contract/failure.h"
#include "reference_trainer/kernels/update.h"

namespace lockstep::train {
namespace {

using activity::Kind;
using plan::Instruction;
using profiler::Range;

bool is_communication(graph::OpKind kind) {
  return kind == graph::OpKind::exchange || kind == graph::OpKind::gather_shards ||
         kind == graph::OpKind::scatter_shards;
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
      state_(plan, optimizer_.arrays),
      exchanger_(plan, groups_, state_),
      scratch_gradients_(plan.microbatches > 1 && !plan.scatters_in_backward()
                             ? static_cast<size_t>(plan.flat_count) * sizeof(Real)
                             : 0),
      engine_(plan.local.graph, state_, options.engine),
      feed_(plan.local.graph, workload, data, "train"),
      handles_(plan.buckets.size()) {
  context_.seed = workload.recipe.seed;
  context_.exchanges = &exchanger_;
  if (!options_.recorder) return;
  track_ = options_.recorder->track("main");
  load_name_ = options_.recorder->intern("load");
  wait_name_ = options_.recorder->intern("wait gradients");
  update_name_ = options_.recorder->intern(optimizer_.name);
  for (const graph::Op& op : graph().ops) op_names_.push_back(options_.recorder->intern(op.name));
}

template <class Real>
StepResult Trainer<Real>::step(int64_t step, std::span<const int64_t> ids, Norms* gradients) {
  share_.clear();
  for (size_t i = static_cast<size_t>(plan_.data_index()); i < ids.size(); i += static_cast<size_t>(plan_.data_count()))
    share_.push_back(ids[i]);
  const int64_t positions = graph().positions_per_sample,
                global_positions = static_cast<int64_t>(ids.size()) * positions;
  context_.step = step;
  context_.loss_scale = 1.0 / static_cast<double>(global_positions);
  loss_sum_ = 0;
  gradient_norms_ = gradients;
  const comm::Counters before = groups_.all().counters();
  if (options_.recorder) options_.recorder->set_step(static_cast<int32_t>(step));
  for (const Instruction& instruction : plan_.body) execute(instruction);

  StepResult result;
  result.samples = static_cast<int64_t>(share_.size());
  result.positions = result.samples * positions;
  if (result.positions > 0)
    result.loss = loss_sum_ * static_cast<double>(global_positions) / static_cast<double>(result.positions);
  result.bytes_sent = groups_.all().counters().bytes_sent - before.bytes_sent;
  result.messages = groups_.all().counters().messages - before.messages;
  return result;
}

template <class Real>
void Trainer<Real>::execute(const Instruction& instruction) {
  switch (instruction.op) {
    case Instruction::load:
      return load(instruction.microbatch);
    case Instruction::run:
      return run(instruction);
    case Instruction::accumulate:
      return accumulate(instruction.microbatch);
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
void Trainer<Real>::load(int32_t microbatch) {
  const Range range(options_.recorder, track_, load_name_, Kind::data, microbatch);
  const auto share = static_cast<int64_t>(share_.size());
  const int64_t begin = plan::microbatch_begin(share, microbatch, plan_.microbatches);
  const int64_t end = plan::microbatch_begin(share, microbatch + 1, plan_.microbatches);
  context_.microbatch = microbatch;
  bound_ = end > begin ? &engine_.bound(end - begin, true, gradients_of_microbatch()) : nullptr;
  if (bound_) {
    feed_.fill(engine_, *bound_,
               std::span(share_).subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
  } else if (!plan_.scatters_in_backward()) {
    std::ranges::fill(gradients_of_microbatch(), Real(0));  // fewer samples than ranks or microbatches: adds nothing
  }
}

template <class Real>
void Trainer<Real>::run(const Instruction& instruction) {
  if (!bound_) {
    // Without samples nothing is computed, but others may need what this rank keeps.
    for (int32_t op = instruction.first; op < instruction.last; ++op)
      exchanger_.attend(graph().ops[static_cast<size_t>(op)], context_);
    return;
  }
  for (int32_t op = instruction.first; op < instruction.last; ++op) {
    if (options_.recorder) {
      const bool waits = is_communication(graph().ops[static_cast<size_t>(op)].kind);
      const Range range(options_.recorder, track_, op_names_[static_cast<size_t>(op)],
                        waits ? Kind::wait : Kind::compute, instruction.microbatch);
      bound_->executable->run(op, context_);
    } else {
      bound_->executable->run(op, context_);
    }
    if (in_flight_) groups_.poll();
  }
  if (instruction.last == graph().forward_ops) add_metrics();
}

template <class Real>
void Trainer<Real>::add_metrics() {
  loss_sum_ += static_cast<double>(engine_.metric(*bound_, graph().loss));
}

template <class Real>
void Trainer<Real>::accumulate(int32_t microbatch) {
  const std::span<Real> sum = state_.gradients(), part = scratch_gradients_.as<Real>();
  if (microbatch == 0) {
    std::ranges::copy(part, sum.begin());
  } else {
    kernels::accumulate(sum.data(), part.data(), static_cast<int64_t>(sum.size()));
  }
}

template <class Real>
void Trainer<Real>::start(int32_t index) {
  const plan::Bucket& bucket = plan_.buckets[static_cast<size_t>(index)];
  const bool holds_control = bucket.offset + bucket.count == plan_.flat_count;
  const std::span<Real> gradients = state_.gradients();
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
  if (plan_.zero > 0) return groups_.all().any(!std::isfinite(loss_sum_), "all ranks' losses");
  Real& control = state_.gradients()[static_cast<size_t>(plan_.control_slot())];
  const bool told = !plan_.buckets.empty() && control != Real(0);
  control = Real(0);
  return told;
}

template <class Real>
void Trainer<Real>::decide() {
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

/// One a slot, of the whole parameter: each element is counted at its first holder. `held` says what the array has, and
/// `valid` what of that is its final value.
template <class Real>
std::vector<double> Trainer<Real>::sums_of_squares(std::span<const Real> array, const plan::Held& held,
                                                   const plan::Held& valid) {
  std::vector<double> sums(plan_.slots.size(), 0);
  for (size_t i = 0; i < sums.size(); ++i) {
    const plan::Slot& slot = plan_.slots[i];
    if (!plan_.is_first_holder(slot, valid.sharded)) continue;
    for (const plan::Held::Range& piece : valid.within(slot.offset, slot.count))
      sums[i] += kernels::sum_of_squares(array.data() + held.at(piece.begin), piece.count);
  }
  const std::vector<plan::Axis> axes = plan_.holder_axes(valid.sharded);
  if (!axes.empty()) groups_.over(axes).run(comm::Operation::all_reduce, std::span(sums), "norms");
  return sums;
}

template <class Real>
Norms Trainer<Real>::named(const std::vector<double>& sums) const {
  Norms norms;
  for (size_t i = 0; i < sums.size(); ++i) norms[graph().tensor(plan_.slots[i].parameter).name] = std::sqrt(sums[i]);
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
  update(optimizer_, state_, workload_.recipe, {context_.step, lr, clip_factor(workload_.recipe, norm_)});
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace lockstep::train
