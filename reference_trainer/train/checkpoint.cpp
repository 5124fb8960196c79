#include "reference_trainer/train/checkpoint.h"

#include <charconv>

namespace lockstep::train {
namespace {

std::vector<int64_t> sizes_of(const graph::Tensor& tensor) {
  std::vector<int64_t> sizes;
  for (const graph::Extent& extent : tensor.shape) sizes.push_back(extent.size);
  return sizes;
}

std::string optimizer_name(int array, const std::string& parameter) {
  return fmt::format("optimizer.{}.{}", array, parameter);
}

}  // namespace

template <class Real>
void save_checkpoint(const std::filesystem::path& file, const ModelState<Real>& state, const graph::Graph& graph,
                     int64_t steps_done) {
  std::vector<workloads::TensorView> tensors;
  const auto add = [&](const std::string& name, const graph::Tensor& tensor, std::span<Real> values) {
    tensors.push_back(workloads::view<Real>(name, sizes_of(tensor), std::span<const Real>(values)));
  };
  for (const plan::Slot& slot : state.slots()) {
    const graph::Tensor& tensor = graph.tensor(slot.parameter);
    add(tensor.name, tensor, state.of(slot, state.parameters()));
    for (int k = 0; k < state.optimizer_arrays(); ++k) {
      add(optimizer_name(k, tensor.name), tensor, state.of(slot, state.optimizer_array(k)));
    }
  }
  for (const auto& [id, block] : state.states())
    add("state." + graph.tensor(id).name, graph.tensor(id), state.state(id));
  workloads::write_safetensors(file, tensors,
                               {{"lockstep.steps_done", std::to_string(steps_done)},
                                {"lockstep.optimizer_arrays", std::to_string(state.optimizer_arrays())}});
}

template <class Real>
int64_t load_checkpoint(const std::filesystem::path& file, ModelState<Real>& state, const graph::Graph& graph) {
  const workloads::SafetensorsFile checkpoint(file);
  const auto steps = checkpoint.metadata().find("lockstep.steps_done");
  if (steps == checkpoint.metadata().end()) {
    throw Failure("setup",
                  fmt::format("{}: has no lockstep.steps_done, so it is no checkpoint of this trainer", file.string()));
  }
  const std::string wanted = std::to_string(state.optimizer_arrays());
  const auto arrays = checkpoint.metadata().find("lockstep.optimizer_arrays");
  if (arrays == checkpoint.metadata().end() || arrays->second != wanted) {
    throw Failure("setup",
                  fmt::format("{}: its optimizer keeps {} arrays, this recipe's keeps {}; resume with the "
                              "optimizer that wrote it",
                              file.string(), arrays == checkpoint.metadata().end() ? "no" : arrays->second, wanted));
  }
  state.load_parameters(checkpoint, graph);
  for (const plan::Slot& slot : state.slots()) {
    for (int k = 0; k < state.optimizer_arrays(); ++k) {
      copy_tensor(checkpoint.at(optimizer_name(k, graph.tensor(slot.parameter).name)),
                  state.of(slot, state.optimizer_array(k)));
    }
  }
  for (const auto& [id, block] : state.states())
    copy_tensor(checkpoint.at("state." + graph.tensor(id).name), state.state(id));
  int64_t done = 0;
  std::from_chars(steps->second.data(), steps->second.data() + steps->second.size(), done);
  return done;
}

template void save_checkpoint(const std::filesystem::path&, const ModelState<float>&, const graph::Graph&, int64_t);
template void save_checkpoint(const std::filesystem::path&, const ModelState<double>&, const graph::Graph&, int64_t);
template int64_t load_checkpoint(const std::filesystem::path&, ModelState<float>&, const graph::Graph&);
template int64_t load_checkpoint(const std::filesystem::path&, ModelState<double>&, const graph::Graph&);

}  // namespace lockstep::train
