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
Evaluator<Real>::Evaluator(const graph::Graph& graph, const ModelState<Real>& state,
                           const workloads::Workload& workload, const workloads::SafetensorsFile& data,
                           EngineOptions options)
    : graph_(graph),
      state_(state),
      samples_(workload.test_samples),
      engine_(graph, state, options),
      feed_(graph, workload, data, "test") {}

template <class Real>
Evaluation Evaluator<Real>::run(comm::Communicator& communicator, int data_index, int data_count, int64_t batch) {
  std::vector<int64_t> share;
  for (int64_t i = data_index; i < samples_; i += data_count) share.push_back(i);
  std::array<double, 3> sums{};  // loss, right predictions, samples
  kernels::StepContext context;
  context.training = false;
  for (size_t begin = 0; begin < share.size(); begin += static_cast<size_t>(batch)) {
    const auto ids = std::span(share).subspan(begin, std::min(static_cast<size_t>(batch), share.size() - begin));
    Bound& bound = engine_.bound(static_cast<int64_t>(ids.size()), false, state_.gradients());
    feed_.fill(engine_, bound, ids);
    for (int32_t op = 0; op < graph_.forward_ops; ++op) bound.executable->run(op, context);
    sums[0] += static_cast<double>(engine_.metric(bound, graph_.loss));
    sums[1] += static_cast<double>(engine_.metric(bound, graph_.correct));
    sums[2] += static_cast<double>(ids.size());
  }
  if (data_count > 1) communicator.run(comm::Operation::all_reduce, std::span<double>(sums), "evaluation");
  Evaluation result;
  const double positions = sums[2] * static_cast<double>(graph_.positions_per_sample);
  result.loss = sums[0] / positions;
  result.accuracy = sums[1] / positions;
  result.bits_per_byte = result.loss / std::numbers::ln2;
  result.samples = static_cast<int64_t>(sums[2]);
  return result;
}

template class Evaluator<float>;
template class Evaluator<double>;

}  // namespace lockstep::train
