#include "reference_trainer/train/trainer.h"

#include <algorithm>
#include <cmath>

#include "adapters/contract/failure.h"
#include "adapters/contract/invariant.h"
#include "reference_trainer/kernels/update.h"
#include "reference_trainer/plan/terms/recipe.h"
#include "reference_trainer/train/arrival.h"

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
      options_(std::move(options)),
      optimizer_(optimizer(workload.recipe.optimizer)),
      state_(plan, workloads::optimizer_arrays(workload.recipe.optimizer), options_.offload_folder),
      gradients_(plan, groups_, state_, options_.recorder),
      loss_scale_(plan.strategy),
      stages_(stage_runs(data)) {
  const workloads::Optimizer id = workload.recipe.optimizer;
  terms::refuse_recipe(plan.strategy, {workload.recipe.clip.has_value(), workloads::has_rates_by_tensor(id),
                                       workloads::keeps_velocity(id)});
  context_.seed = workload.recipe.seed;
  if (!options_.recorder) return;
  track_ = options_.recorder->track("main");
  load_name_ = options_.recorder->intern("load");
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
void Trainer<Real>::begin(Stretch stretch) {
  LOCKSTEP_INVARIANT(stretch_is_over(), "steps {} to {} begin, but the next one is {} of those up to {}", stretch.begin,
                     stretch.end, next_, stretch_.end);
  stretch_ = std::move(stretch);
  next_ = stretch_.begin;
  state_.restart_versions();
}

template <class Real>
StepResult Trainer<Real>::step(Norms* gradients) {
  LOCKSTEP_INVARIANT(!stretch_is_over(), "step {} is not one of the stretch [{}, {})", next_, stretch_.begin,
                     stretch_.end);
  step_ahead(0);
  gradients_.begin_step();
  gradient_norms_ = gradients;
  const comm::Counters before = groups_.all().counters();
  if (options_.recorder) options_.recorder->set_step(static_cast<int32_t>(next_));
  if (next_ == stretch_.begin) {
    for (const Instruction& instruction : plan_.prologue) execute(instruction);
  }
  if (plan_.by_arrival()) run_microbatches_by_arrival();
  for (const Instruction& instruction : plan_.body) {
    if (!plan_.by_arrival() || instruction.microbatch < 0) execute(instruction);
  }
  const StepResult result = result_of(current(), before);
  in_flight_steps_.pop_front();
  if (++next_ == stretch_.end) {
    for (StageRun& stage : stages_) stage.exchanger->messages().finish_sends();
  }
  return result;
}

template <class Real>
void Trainer<Real>::run_microbatches_by_arrival() {
  const auto samples_of_step = static_cast<int64_t>(current().ids.size());
  const auto messages = [this](const Instruction& task) -> StageMessages<Real>& {
    return stage_of(task).exchanger->messages();
  };
  run_by_arrival(plan_, {[&](const Instruction& task, const graph::Op& receive) {
                           const int64_t samples = plan_.samples_of(samples_of_step, task.microbatch).size();
                           if (samples > 0) messages(task).post_receive(receive, task.microbatch, samples);
                         },
                         [&](const Instruction& task, const graph::Op& receive) {
                           return messages(task).has_arrived(receive, task.microbatch);
                         },
                         [this](const Instruction& instruction) { execute(instruction); }});
}

template <class Real>
StepResult Trainer<Real>::result_of(const StepInFlight& step, const comm::Counters& before) {
  StepResult result;
  result.samples = static_cast<int64_t>(step.share.size());
  result.positions = result.samples * plan_.whole.positions_per_sample;
  result.loss_positions = step.loss_positions;
  if (step.loss_positions > 0)
    result.loss = step.loss_sum * static_cast<double>(step.positions) / static_cast<double>(step.loss_positions);
  result.bytes_sent = groups_.all().counters().bytes_sent - before.bytes_sent;
  result.messages = groups_.all().counters().messages - before.messages;
  result.dropped = step.dropped;
  result.skipped = overflowed_;
  return result;
}

/// nullptr: the stretch ends before it.
template <class Real>
typename Trainer<Real>::StepInFlight* Trainer<Real>::step_ahead(size_t ahead) {
  if (next_ + static_cast<int64_t>(ahead) >= stretch_.end) return nullptr;
  while (in_flight_steps_.size() <= ahead) {
    StepInFlight& fresh = in_flight_steps_.emplace_back();
    fresh.step = next_ + static_cast<int64_t>(in_flight_steps_.size()) - 1;
    const std::span<const int64_t> ids = fresh.ids = stretch_.ids(fresh.step);
    fresh.positions = static_cast<int64_t>(ids.size()) * plan_.whole.positions_per_sample;
    const auto count = static_cast<size_t>(plan_.data_count());
    for (auto i = static_cast<size_t>(plan_.data_index()); i < ids.size(); i += count) fresh.share.push_back(ids[i]);
  }
  return &in_flight_steps_[ahead];
}

/// Of the microbatch in its step; without a flush in its stretch.
template <class Real>
int64_t Trainer<Real>::number_of(const Instruction& instruction) const {
  return plan_.flushes() ? instruction.microbatch
                         : (next_ - stretch_.begin) * plan_.microbatches + instruction.microbatch;
}

template <class Real>
void Trainer<Real>::execute(const Instruction& instruction) {
  if (!step_of(instruction)) return;
  switch (instruction.op) {
    case Instruction::load:
      return load(instruction);
    case Instruction::run:
      return run(instruction);
    case Instruction::accumulate:
      if (bound_of(instruction)) gradients_.accumulate(instruction);  // without samples there is nothing to add
      return;
    case Instruction::share:
      return gradients_.share();
    case Instruction::start:
      return gradients_.start(instruction.first, std::isfinite(current().loss_sum));
    case Instruction::gather:
      return gradients_.gather_parameters(instruction.first);
    case Instruction::wait:
      return gradients_.wait(instruction.first);
    case Instruction::replicate:
      return gradients_.replicate(instruction.first);
    case Instruction::decide:
      return decide();
    case Instruction::probe:
      return probe();
    case Instruction::update:
      return apply();
  }
}

template <class Real>
Bound*& Trainer<Real>::bound_of(const Instruction& instruction) {
  std::vector<Bound*>& bound = stage_of(instruction).bound;
  if (plan_.flushes()) return bound[static_cast<size_t>(instruction.slot)];
  return bound[static_cast<size_t>(number_of(instruction)) % bound.size()];
}

/// The array on which a microbatch runs.
template <class Real>
std::span<Real> Trainer<Real>::weights_of(const Instruction& instruction) {
  if (plan_.flushes()) return state_.parameters();
  if (plan_.predicts()) return state_.weights(plan_.weight_copies - 1);
  const int stage = plan_.stages[static_cast<size_t>(instruction.stage)].index;
  return state_.weights(schedule::forward_weights(*plan_.stale, stage, number_of(instruction)).slot);
}

template <class Real>
void Trainer<Real>::load(const Instruction& instruction) {
  const Range range(options_.recorder, track_, load_name_, Kind::data, instruction.microbatch);
  StageRun& stage = stage_of(instruction);
  const StepInFlight& step = *step_of(instruction);
  const auto of_step = static_cast<int64_t>(step.ids.size());
  const collective::Range mine = plan_.samples_of(of_step, instruction.microbatch);
  const int64_t samples = plan_.bound_samples(of_step, instruction.microbatch);
  Bound*& bound = bound_of(instruction);
  bound = nullptr;
  if (samples == 0) return;  // fewer samples than ranks or microbatches: adds nothing
  const auto memory = static_cast<int>(&bound - stage.bound.data());
  bound = &stage.engine->bound(samples, true, {weights_of(instruction), gradients_.of_microbatch(), memory});
  bound->samples = samples;
  bound->padding = samples - mine.size();
  fed_.assign(step.share.begin() + mine.begin, step.share.begin() + mine.end);
  fed_.resize(static_cast<size_t>(samples), step.ids.front());
  stage.feed->fill(*stage.engine, *bound, fed_);
}

/// Weight prediction (SpecTrain: Chen et al. 2018): forward runs on where the weights will be when its own update
/// comes, w less the velocity times the rates of the updates before that one; backward on the newest.
template <class Real>
void Trainer<Real>::set_prediction(const Instruction& instruction) {
  const int stage = plan_.stages[static_cast<size_t>(instruction.stage)].index;
  const bool forward = instruction.first == 0;
  const schedule::WeightUse use =
      (forward ? schedule::forward_weights : schedule::backward_weights)(*plan_.stale, stage, number_of(instruction));
  double rates = 0;
  for (int64_t k = 0; k < use.ahead; ++k) rates += rate_of(next_ + k);
  const std::span<Real> newest = state_.parameters(), prediction = weights_of(instruction);
  if (rates != 0) {
    kernels::extrapolate(prediction.data(), newest.data(), state_.optimizer_array(0).data(),
                         static_cast<int64_t>(newest.size()), rates);
  } else if (newest.data() != prediction.data()) {
    std::ranges::copy(newest, prediction.begin());
  }
}

/// Before the first op of forward or backward.
template <class Real>
void Trainer<Real>::begin_half(const Instruction& instruction, const Bound* bound) {
  if (plan_.predicts() && bound) set_prediction(instruction);
  const bool in_place = !plan_.adds_gradients() && !plan_.scatters_in_backward();
  if (in_place && !bound && instruction.first > 0) std::ranges::fill(state_.gradients(), Real(0));
}

template <class Real>
void Trainer<Real>::run(const Instruction& instruction) {
  StageRun& stage = stage_of(instruction);
  const graph::Graph& graph = plan_.stages[static_cast<size_t>(instruction.stage)].graph();
  Bound* bound = bound_of(instruction);
  StepInFlight& step = *step_of(instruction);
  context_.step = step.step;
  context_.loss_scale = loss_scale_.value() / static_cast<double>(step.positions);
  context_.microbatch = static_cast<int32_t>(number_of(instruction));
  context_.exchanges = stage.exchanger.get();
  if (instruction.first == 0 || instruction.first == graph.forward_ops) begin_half(instruction, bound);
  if (!bound) {
    // Without samples nothing is computed, but others may need what this rank keeps.
    for (int32_t op = instruction.first; op < instruction.last; ++op)
      stage.exchanger->attend(graph.ops[static_cast<size_t>(op)], context_);
    return;
  }
  context_.samples = bound->samples;
  context_.padding = bound->padding;
  for (int32_t op = instruction.first; op < instruction.last; ++op) {
    if (options_.recorder) {
      const bool waits = is_communication(graph.ops[static_cast<size_t>(op)].kind);
      const Range range(options_.recorder, track_, stage.op_names[static_cast<size_t>(op)],
                        waits ? Kind::wait : Kind::compute, instruction.microbatch);
      bound->executable->run(op, context_);
    } else {
      bound->executable->run(op, context_);
    }
    if (gradients_.is_exchanging() || stage.exchanger->is_gathering()) groups_.poll();
  }
  if (instruction.last != graph.forward_ops) return;
  for (graph::TensorId id : graph.dropped) step.dropped += static_cast<int64_t>(stage.engine->metric(*bound, id));
  if (graph.loss != graph::kNoTensor) {
    step.loss_sum += static_cast<double>(stage.engine->metric(*bound, graph.loss)) / loss_scale_.value();
    step.loss_positions += (bound->samples - bound->padding) * graph.positions_per_sample;
  }
}

/// The exchange of the gradients tells in its control slot, unless the plan says otherwise; without a flush each stage
/// tells the one before it.
template <class Real>
bool Trainer<Real>::another_is_not_finite() {
  const bool here = !std::isfinite(current().loss_sum);
  if (plan_.tells_apart()) return groups_.all().any(here, "all ranks' losses");
  Real& control = state_.gradients()[static_cast<size_t>(plan_.control_slot())];
  const bool told = !plan_.buckets.empty() && control != Real(0);
  control = Real(0);
  return plan_.flushes() ? told : stages_.front().exchanger->messages().tell_stage_before(told || here);
}

template <class Real>
void Trainer<Real>::decide() {
  gradients_.clear_what_no_sample_reached();
  if (plan_.schedule && plan_.flushes()) {
    for (StageRun& stage : stages_) stage.exchanger->messages().finish_sends();
  }
  const bool elsewhere = another_is_not_finite();
  const double loss = current().loss_sum;
  if (std::isfinite(loss) && !elsewhere) return unscale();
  if (plan_.mesh.ranks() > 1) leave_together();
  throw Failure("non_finite_loss",
                fmt::format("step {}: the loss {} is not finite; a lower lr, or clip=1, may help", next_ + 1,
                            std::isfinite(loss) ? "of another rank" : fmt::format("of this rank ({})", loss)));
}

/// Divides the gradients by the loss scale, or leaves none where they overflowed on any rank.
template <class Real>
void Trainer<Real>::unscale() {
  if (!plan_.scales_loss()) return;
  const double factor = 1 / loss_scale_.value();
  bool here = false;
  for (const plan::Held::Range& range : plan_.optimizer.ranges) {
    Real* gradients = &state_.gradients()[static_cast<size_t>(plan_.gradients.at(range.begin))];
    here = here || !std::isfinite(kernels::sum_of_squares(gradients, range.count));
    kernels::scale(gradients, range.count, factor);
  }
  overflowed_ = plan_.mesh.ranks() > 1 ? groups_.all().any(here, "all ranks' gradients") : here;
  if (overflowed_ && loss_scale_.is_least()) {
    if (plan_.mesh.ranks() > 1) leave_together();
    throw Failure(
        "non_finite_loss",
        fmt::format("step {}: gradients overflow fp16 though the loss is not scaled; a lower lr, or clip=1, may "
                    "help, or amp:bf16, which has the exponents of fp32",
                    next_ + 1));
  }
  loss_scale_.note(!overflowed_);
  if (overflowed_) std::ranges::fill(state_.gradients(), Real(0));
}

/// Waits until every rank has decided: a rank that throws is gone for the others, and one that had not yet looked at
/// its finished exchange would report a lost peer instead of the loss.
template <class Real>
void Trainer<Real>::leave_together() {
  try {
    for (StageRun& stage : stages_) stage.exchanger->messages().finish_telling();
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
  if (gradient_norms_) *gradient_norms_ = norms_of(plan_, gradient_sums());
  if (workload_.recipe.clip) norm_ = global_norm();
}

template <class Real>
std::vector<double> Trainer<Real>::parameter_sums(const plan::Held& valid) {
  return sums_of_squares<Real>(plan_, groups_, state_.parameters(), plan_.parameters, valid);
}

template <class Real>
std::vector<double> Trainer<Real>::gradient_sums() {
  return sums_of_squares<Real>(plan_, groups_, state_.gradients(), plan_.gradients, plan_.optimizer);
}

template <class Real>
Norms Trainer<Real>::parameter_norms() {
  return norms_of(plan_, parameter_sums(plan_.parameters));
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
double Trainer<Real>::rate_of(int64_t step) const {
  return learning_rate(workload_.recipe, step, workload_.steps);
}

template <class Real>
void Trainer<Real>::apply() {
  const Range range(options_.recorder, track_, update_name_, Kind::optimizer);
  if (overflowed_) return;
  if (plan_.stale) {
    const int64_t last = (next_ - stretch_.begin + 1) * plan_.microbatches - 1;
    state_.begin_version(schedule::updated_weights(*plan_.stale, plan_.stages.front().index, last).slot);
  }
  const auto sums = [this] { return TensorSums{parameter_sums(plan_.optimizer), gradient_sums()}; };
  update(optimizer_, state_, workload_.recipe,
         {next_ - loss_scale_.skipped(), rate_of(next_), clip_factor(workload_.recipe, norm_)}, sums);
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace lockstep::train
