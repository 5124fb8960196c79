#include "reference_trainer/train/evaluator.h"

#include <array>
#include <numbers>

#include "adapters/contract/invariant.h"

namespace lockstep::train {

double Evaluation::metric(std::string_view name) const {
  if (name == "test_accuracy") return accuracy;
  if (name == "bits_per_byte") return bits_per_byte;
  if (name == "test_loss") return loss;
  throw Failure("usage",
                fmt::format("no metric is called \"{}\"; known are test_accuracy, bits_per_byte and test_loss", name));
}

template <class Real>
Evaluator<Real>::Evaluator(Trainer<Real>& trainer, const workloads::Workload& workload,
                           const workloads::SafetensorsFile& data, EngineOptions options)
    : trainer_(trainer), samples_(workload.test_samples) {
  const plan::Plan& plan = trainer.plan();
  for (size_t k = 0; k < plan.stages.size(); ++k) {
    if (plan.stages[k].direction != 0) continue;
    stages_.push_back({k, std::make_unique<Engine<Real>>(k, trainer.state(), options),
                       std::make_unique<Feed<Real>>(plan.stages[k].graph(), workload, data, "test")});
  }
}

template <class Real>
Evaluation Evaluator<Real>::run(int64_t batch) {
  const plan::Plan& plan = trainer_.plan();
  LOCKSTEP_INVARIANT(trainer_.is_drained(), "evaluation while microbatches of {} are in flight",
                     text::print(plan.strategy));
  std::vector<int64_t> share;
  for (int64_t i = plan.data_index(); i < samples_; i += plan.data_count()) share.push_back(i);
  std::array<double, 3> sums{};  // loss, right predictions, samples
  kernels::StepContext context;
  context.training = false;
  // As many batches as the largest share has: where parameters are sharded, each rank helps the others to theirs.
  const int64_t most = plan::share_of(samples_, 0, plan.data_count()), mine = static_cast<int64_t>(share.size()),
                bound = plan.bound_share(samples_);
  share.resize(static_cast<size_t>(bound), 0);
  for (int64_t begin = 0; begin < most; begin += batch, ++context.microbatch) {
    const int64_t from = std::min(begin, bound), count = std::min(batch, bound - from);
    context.padding = count - std::clamp<int64_t>(mine - from, 0, count);
    const auto ids = std::span(share).subspan(static_cast<size_t>(from), static_cast<size_t>(count));
    for (StageRun& stage : stages_) run_stage(stage, ids, context, sums);
  }
  if (plan.schedule) {
    for (StageRun& stage : stages_) trainer_.exchanger(stage.stage).messages().finish_sends();
  }
  std::vector<plan::Axis> axes;
  for (plan::Axis axis : {plan::Axis::dp, plan::Axis::ep, plan::Axis::pp}) {
    if (plan.mesh.size(axis) > 1) axes.push_back(axis);
  }
  if (!axes.empty())
    trainer_.groups().over(axes).run(comm::Operation::all_reduce, std::span<double>(sums), "evaluation");
  Evaluation result;
  const double positions = sums[2] * static_cast<double>(plan.whole.positions_per_sample);
  result.loss = sums[0] / positions;
  result.accuracy = sums[1] / positions;
  result.bits_per_byte = result.loss / std::numbers::ln2;
  result.samples = static_cast<int64_t>(sums[2]);
  return result;
}

template <class Real>
void Evaluator<Real>::run_stage(StageRun& stage, std::span<const int64_t> ids, kernels::StepContext& context,
                                std::array<double, 3>& sums) {
  const graph::Graph& graph = trainer_.plan().stages[stage.stage].graph();
  Exchanger<Real>& exchanger = trainer_.exchanger(stage.stage);
  context.exchanges = &exchanger;
  context.samples = static_cast<int64_t>(ids.size());
  if (ids.empty()) {
    for (int32_t op = 0; op < graph.forward_ops; ++op) exchanger.attend(graph.ops[static_cast<size_t>(op)], context);
    return;
  }
  Bound& bound =
      stage.engine->bound(context.samples, false, {trainer_.state().parameters(), trainer_.state().gradients()});
  stage.feed->fill(*stage.engine, bound, ids);
  for (int32_t op = 0; op < graph.forward_ops; ++op) bound.executable->run(op, context);
  if (graph.loss == graph::kNoTensor) return;
  sums[0] += static_cast<double>(stage.engine->metric(bound, graph.loss));
  sums[1] += static_cast<double>(stage.engine->metric(bound, graph.correct));
  sums[2] += static_cast<double>(context.samples - context.padding);
}

template class Evaluator<float>;
template class Evaluator<double>;

}  // namespace lockstep::train
