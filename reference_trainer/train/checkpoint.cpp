#include "reference_trainer/train/checkpoint.h"

#include <charconv>
#include <deque>
#include <functional>

namespace lockstep::train {
namespace {

std::vector<int64_t> sizes_of(const graph::Tensor& tensor) {
  std::vector<int64_t> sizes;
  for (const graph::Extent& extent : tensor.part.is_whole() ? tensor.shape : tensor.part.whole)
    sizes.push_back(extent.size);
  return sizes;
}

std::string optimizer_name(int array, const std::string& parameter) {
  return fmt::format("optimizer.{}.{}", array, parameter);
}

/// Every persistent tensor of a rank, once: name in the file, the tensor whose part it is, whether this rank is its
/// first holder, and the part.
template <class Real>
void for_each_tensor(
    Trainer<Real>& trainer,
    const std::function<void(const std::string&, const graph::Tensor&, bool, std::span<Real>)>& visit) {
  ModelState<Real>& state = trainer.state();
  for (const plan::Slot& slot : state.slots()) {
    const graph::Tensor& tensor = trainer.graph().tensor(slot.parameter);
    const bool first = trainer.plan().is_first_holder(slot);
    visit(tensor.name, tensor, first, state.of(slot, state.parameters()));
    for (int k = 0; k < state.optimizer_arrays(); ++k)
      visit(optimizer_name(k, tensor.name), tensor, first, state.of(slot, state.optimizer_array(k)));
  }
  for (const auto& [id, block] : state.states()) {
    plan::Slot as_slot;
    for (const auto& axes : trainer.plan().local.layouts[static_cast<size_t>(id)].split)
      as_slot.split.insert(as_slot.split.end(), axes.begin(), axes.end());
    const graph::Tensor& tensor = trainer.graph().tensor(id);
    visit("state." + tensor.name, tensor, trainer.plan().is_first_holder(as_slot), state.state(id));
  }
}

/// A whole tensor from its parts: each first holder puts down its own, and the sum of all is the tensor.
template <class Real>
std::vector<Real> whole_of(Trainer<Real>& trainer, const graph::Tensor& tensor, bool first, std::span<Real> part) {
  std::vector<Real> whole(static_cast<size_t>(graph::whole_count(tensor)), Real(0));
  const std::vector<int64_t> places = graph::whole_elements(tensor);
  for (size_t i = 0; first && i < part.size(); ++i)
    whole[places.empty() ? i : static_cast<size_t>(places[i])] = part[i];
  trainer.groups()
      .over(trainer.plan().model_axes())
      .run(comm::Operation::reduce, std::span<Real>(whole), "a checkpoint's " + tensor.name);
  return whole;
}

}  // namespace

template <class Real>
void save_checkpoint(const std::filesystem::path& file, Trainer<Real>& trainer, int64_t steps_done) {
  // Parts are put together among the ranks that share the first samples; with no such parts one rank is enough.
  const bool alone = trainer.plan().model_axes().empty();
  if (trainer.plan().data_index() != 0) return;
  std::vector<workloads::TensorView> tensors;
  std::deque<std::vector<Real>> wholes;
  for_each_tensor<Real>(trainer,
                        [&](const std::string& name, const graph::Tensor& tensor, bool first, std::span<Real> part) {
                          std::span<const Real> values = part;
                          if (!alone) values = wholes.emplace_back(whole_of(trainer, tensor, first, part));
                          tensors.push_back(workloads::view<Real>(name, sizes_of(tensor), values));
                        });
  if (trainer.plan().rank != 0) return;
  workloads::write_safetensors(file, tensors,
                               {{"lockstep.steps_done", std::to_string(steps_done)},
                                {"lockstep.optimizer_arrays", std::to_string(trainer.state().optimizer_arrays())}});
}

template <class Real>
int64_t load_checkpoint(const std::filesystem::path& file, Trainer<Real>& trainer) {
  const workloads::SafetensorsFile checkpoint(file);
  const auto steps = checkpoint.metadata().find("lockstep.steps_done");
  if (steps == checkpoint.metadata().end()) {
    throw Failure("setup",
                  fmt::format("{}: has no lockstep.steps_done, so it is no checkpoint of this trainer", file.string()));
  }
  const std::string wanted = std::to_string(trainer.state().optimizer_arrays());
  const auto arrays = checkpoint.metadata().find("lockstep.optimizer_arrays");
  if (arrays == checkpoint.metadata().end() || arrays->second != wanted) {
    throw Failure("setup",
                  fmt::format("{}: its optimizer keeps {} arrays, this recipe's keeps {}; resume with the "
                              "optimizer that wrote it",
                              file.string(), arrays == checkpoint.metadata().end() ? "no" : arrays->second, wanted));
  }
  for_each_tensor<Real>(trainer, [&](const std::string& name, const graph::Tensor& tensor, bool, std::span<Real> part) {
    copy_part(checkpoint.at(name), tensor, part);
  });
  int64_t done = 0;
  std::from_chars(steps->second.data(), steps->second.data() + steps->second.size(), done);
  return done;
}

template void save_checkpoint(const std::filesystem::path&, Trainer<float>&, int64_t);
template void save_checkpoint(const std::filesystem::path&, Trainer<double>&, int64_t);
template int64_t load_checkpoint(const std::filesystem::path&, Trainer<float>&);
template int64_t load_checkpoint(const std::filesystem::path&, Trainer<double>&);

}  // namespace lockstep::train
