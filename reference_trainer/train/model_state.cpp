#include "reference_trainer/train/model_state.h"

#include <algorithm>
#include <cmath>

#include "reference_trainer/kernels/update.h"

namespace lockstep::train {

template <class Real>
ModelState<Real>::ModelState(const plan::Plan& plan, int optimizer_arrays)
    : slots_(plan.slots),
      parameters_(static_cast<size_t>(plan.flat_count) * sizeof(Real)),
      gradients_(static_cast<size_t>(plan.flat_count) * sizeof(Real)) {
  for (int i = 0; i < optimizer_arrays; ++i)
    optimizer_.emplace_back(static_cast<size_t>(plan.flat_count) * sizeof(Real));
  const graph::Graph& graph = plan.local.graph;
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const graph::Tensor& tensor = graph.tensors[t];
    if (tensor.role != graph::Role::state) continue;
    MemoryBlock block(static_cast<size_t>(elements(tensor, 1)) * sizeof(Real));
    if (tensor.init.kind == "ones") std::ranges::fill(block.as<Real>(), Real(1));
    states_.emplace(static_cast<graph::TensorId>(t), std::move(block));
  }
}

template <class Real>
void ModelState<Real>::load_parameters(const workloads::SafetensorsFile& file, const graph::Graph& graph) {
  for (const plan::Slot& slot : slots_) copy_tensor(file.at(graph.tensor(slot.parameter).name), of(slot, parameters()));
}

template <class Real>
std::map<std::string, double> ModelState<Real>::norms(std::span<Real> flat, const graph::Graph& graph) const {
  std::map<std::string, double> norms;
  for (const plan::Slot& slot : slots_) {
    const double sum = kernels::sum_of_squares(of(slot, flat).data(), slot.count);
    norms[graph.tensor(slot.parameter).name] = std::sqrt(sum);
  }
  return norms;
}

template <class Real>
int64_t ModelState<Real>::bytes_of_optimizer() const {
  int64_t bytes = 0;
  for (const MemoryBlock& block : optimizer_) bytes += static_cast<int64_t>(block.bytes());
  return bytes;
}

template <class Real>
void copy_tensor(const workloads::TensorView& tensor, std::span<Real> out) {
  if (tensor.elements() != static_cast<int64_t>(out.size())) {
    throw Failure(
        "setup", fmt::format("tensor \"{}\" has {} elements, the model wants {}; was the file made for another preset?",
                             tensor.name, tensor.elements(), out.size()));
  }
  if (tensor.dtype == workloads::DType::F64) {
    std::ranges::transform(tensor.values<double>(), out.begin(), [](double v) { return static_cast<Real>(v); });
  } else {
    std::ranges::transform(tensor.values<float>(), out.begin(), [](float v) { return static_cast<Real>(v); });
  }
}

template class ModelState<float>;
template class ModelState<double>;
template void copy_tensor(const workloads::TensorView&, std::span<float>);
template void copy_tensor(const workloads::TensorView&, std::span<double>);

}  // namespace lockstep::train
