#include "reference_trainer/train/evaluator.h"

#include <array>
#include <numbers>

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
    : trainer_(trainer),
      samples_(workload.test_samples),
      engine_(trainer.graph(), trainer.state(), options),
      feed_(trainer.graph(), workload, data, "test") {}

template <class Real>
Evaluation Evaluator<Real>::run(int64_t batch) {
  const plan::Plan& plan = trainer_.plan();
  const graph::Graph& graph = trainer_.graph();
  std::vector<int64_t> share;
  for (int64_t i = plan.data_index(); i < samples_; i += plan.data_count()) share.push_back(i);
  std::array<double, 3> sums{};  // loss, right predictions, samples
  kernels::StepContext context;
  context.training = false;
  context.exchanges = &trainer_.exchanger();
  // As many batches as the largest share has: where parameters are sharded, each rank helps the others to theirs.
  const auto most = static_cast<size_t>(plan::share_of(samples_, 0, plan.data_count()));
  for (size_t begin = 0; begin < most; begin += static_cast<size_t>(batch)) {
    if (begin >= share.size()) {
      for (int32_t op = 0; op < graph.forward_ops; ++op)
        trainer_.exchanger().attend(graph.ops[static_cast<size_t>(op)], context);
      continue;
    }
    const auto ids = std::span(share).subspan(begin, std::min(static_cast<size_t>(batch), share.size() - begin));
    Bound& bound = engine_.bound(static_cast<int64_t>(ids.size()), false, trainer_.state().gradients());
    feed_.fill(engine_, bound, ids);
    for (int32_t op = 0; op < graph.forward_ops; ++op) bound.executable->run(op, context);
    sums[0] += static_cast<double>(engine_.metric(bound, graph.loss));
    sums[1] += static_cast<double>(engine_.metric(bound, graph.correct));
    sums[2] += static_cast<double>(ids.size());
  }
  if (plan.data_count() > 1)
    trainer_.groups().over({plan::Axis::dp}).run(comm::Operation::all_reduce, std::span<double>(sums), "evaluation");
  Evaluation result;
  const double positions = sums[2] * static_cast<double>(graph.positions_per_sample);
  result.loss = sums[0] / positions;
  result.accuracy = sums[1] / positions;
  result.bits_per_byte = result.loss / std::numbers::ln2;
  result.samples = static_cast<int64_t>(sums[2]);
  return result;
}

template class Evaluator<float>;
template class Evaluator<double>;

}  // namespace lockstep::train
