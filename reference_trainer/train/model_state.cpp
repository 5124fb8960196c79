#include "reference_trainer/train/model_state.h"

#include <algorithm>

namespace lockstep::train {

template <class Real>
ModelState<Real>::ModelState(const plan::Plan& plan, int optimizer_arrays, const std::filesystem::path& offload_folder)
    : plan_(plan), gradients_(static_cast<size_t>(plan.gradients.count()) * sizeof(Real)) {
  for (int i = 0; i < plan.weight_copies; ++i)
    weights_.emplace_back(static_cast<size_t>(plan.parameters.count()) * sizeof(Real));
  const size_t optimizer_bytes = static_cast<size_t>(plan.optimizer.count()) * sizeof(Real);
  for (int i = 0; i < optimizer_arrays; ++i) {
    if (plan.offloads) {
      optimizer_arrays_.push_back(offloaded_.emplace_back(optimizer_bytes, offload_folder).template as<Real>());
    } else {
      optimizer_arrays_.push_back(optimizer_.emplace_back(optimizer_bytes).template as<Real>());
    }
  }
  for (size_t k = 0; k < plan.stages.size(); ++k) {
    const graph::Graph& graph = plan.stages[k].graph();
    for (size_t t = 0; t < graph.tensors.size(); ++t) {
      const graph::Tensor& tensor = graph.tensors[t];
      if (tensor.role != graph::Role::state) continue;
      MemoryBlock block(static_cast<size_t>(elements(tensor, 1)) * sizeof(Real));
      if (tensor.init.kind == "ones") std::ranges::fill(block.as<Real>(), Real(1));
      states_.emplace(StateKey{k, static_cast<graph::TensorId>(t)}, std::move(block));
    }
  }
}

template <class Real>
void ModelState<Real>::begin_version(int copy) {
  if (copy == newest_) return;
  std::ranges::copy(parameters(), weights(copy).begin());
  newest_ = copy;
}

template <class Real>
void ModelState<Real>::restart_versions() {
  if (newest_ != 0) std::swap(weights_.front(), weights_[static_cast<size_t>(newest_)]);
  newest_ = 0;
}

template <class Real>
void ModelState<Real>::load_parameters(const workloads::SafetensorsFile& file) {
  for (const plan::Slot& slot : plan_.slots) {
    const graph::Tensor& tensor = plan_.local(slot).graph.tensor(slot.parameter);
    for (const plan::Held::Range& piece : plan_.parameters.within(slot.offset, slot.count)) {
      copy_part(file.at(tensor.name), tensor, piece.begin - slot.offset,
                parameters().subspan(static_cast<size_t>(piece.at), static_cast<size_t>(piece.count)));
    }
  }
}

template <class Real>
void ModelState<Real>::rest(int64_t begin, int64_t count) const {
  for (const MappedMemory& array : offloaded_)
    array.release(static_cast<size_t>(begin) * sizeof(Real), static_cast<size_t>(count) * sizeof(Real));
}

template <class Real>
int64_t ModelState<Real>::bytes_of_optimizer() const {
  int64_t bytes = 0;
  for (const MemoryBlock& block : optimizer_) bytes += static_cast<int64_t>(block.bytes());
  const auto window = static_cast<size_t>(plan::kOffloadWindow) * sizeof(Real);
  for (const MappedMemory& array : offloaded_) bytes += static_cast<int64_t>(std::min(array.bytes(), window));
  return bytes;
}

template <class Real>
int64_t ModelState<Real>::bytes_of_offloaded() const {
  int64_t bytes = 0;
  for (const MappedMemory& array : offloaded_) bytes += static_cast<int64_t>(array.bytes());
  return bytes;
}

template <class Real>
int64_t ModelState<Real>::bytes_of_stashed() const {
  return static_cast<int64_t>((weights_.size() - 1) * weights_.front().bytes());
}

template <class Real>
void copy_part(const workloads::TensorView& whole, const graph::Tensor& tensor, int64_t first, std::span<Real> out) {
  const std::vector<int64_t> part = graph::whole_elements(tensor);
  const int64_t expected = graph::whole_count(tensor);
  if (whole.elements() != expected) {
    throw Failure(
        "setup", fmt::format("tensor \"{}\" has {} elements, the model wants {}; was the file made for another preset?",
                             whole.name, whole.elements(), expected));
  }
  const auto take = [&](const auto& values) {
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t at = static_cast<size_t>(first) + i;
      out[i] = static_cast<Real>(values[part.empty() ? at : static_cast<size_t>(part[at])]);
    }
  };
  if (whole.dtype == workloads::DType::F64) {
    take(whole.values<double>());
  } else {
    take(whole.values<float>());
  }
}

template class ModelState<float>;
template class ModelState<double>;
template void copy_part(const workloads::TensorView&, const graph::Tensor&, int64_t, std::span<float>);
template void copy_part(const workloads::TensorView&, const graph::Tensor&, int64_t, std::span<double>);

}  // namespace lockstep::train
