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

/// What a rank keeps of a tensor: elements of its part from `first` on.
template <class Real>
struct Piece {
  int64_t first = 0;
  std::span<Real> values;
};

/// A persistent tensor under its name in the file.
template <class Real>
struct Kept {
  std::string name;
  const graph::Tensor& tensor;
  bool is_first_holder, sharded;
  std::vector<Piece<Real>> pieces;
};

template <class Real>
std::vector<Piece<Real>> pieces_of(const plan::Slot& slot, const plan::Held& held, std::span<Real> array) {
  std::vector<Piece<Real>> pieces;
  for (const plan::Held::Range& range : held.within(slot.offset, slot.count)) {
    pieces.push_back(
        {range.begin - slot.offset, array.subspan(static_cast<size_t>(range.at), static_cast<size_t>(range.count))});
  }
  return pieces;
}

template <class Real>
void for_each_tensor(Trainer<Real>& trainer, const std::function<void(const Kept<Real>&)>& visit) {
  ModelState<Real>& state = trainer.state();
  const plan::Plan& plan = trainer.plan();
  const auto add = [&](const std::string& name, const plan::Slot& slot, const plan::Held& held, std::span<Real> array) {
    visit({name, trainer.graph().tensor(slot.parameter), plan.is_first_holder(slot, held.sharded), held.sharded,
           pieces_of(slot, held, array)});
  };
  for (const plan::Slot& slot : plan.slots) {
    const std::string& name = trainer.graph().tensor(slot.parameter).name;
    add(name, slot, plan.parameters, state.parameters());
    for (int k = 0; k < state.optimizer_arrays(); ++k)
      add(optimizer_name(k, name), slot, plan.optimizer, state.optimizer_array(k));
  }
  for (const auto& [id, block] : state.states()) {
    plan::Slot as_slot;
    for (const auto& axes : plan.local.layouts[static_cast<size_t>(id)].split)
      as_slot.split.insert(as_slot.split.end(), axes.begin(), axes.end());
    const graph::Tensor& tensor = trainer.graph().tensor(id);
    visit({"state." + tensor.name, tensor, plan.is_first_holder(as_slot, false), false, {{0, state.state(id)}}});
  }
}

/// A whole tensor from its parts: each first holder puts down its own, and the sum of all is the tensor.
template <class Real>
std::vector<Real> whole_of(Trainer<Real>& trainer, const Kept<Real>& kept) {
  std::vector<Real> whole(static_cast<size_t>(graph::whole_count(kept.tensor)), Real(0));
  const std::vector<int64_t> places = graph::whole_elements(kept.tensor);
  for (const Piece<Real>& piece : kept.pieces) {
    for (size_t i = 0; kept.is_first_holder && i < piece.values.size(); ++i) {
      const size_t at = static_cast<size_t>(piece.first) + i;
      whole[places.empty() ? at : static_cast<size_t>(places[at])] = piece.values[i];
    }
  }
  const std::vector<plan::Axis> axes = trainer.plan().holder_axes(kept.sharded);
  if (axes.empty()) return whole;
  trainer.groups().over(axes).run(comm::Operation::reduce, std::span<Real>(whole), "a checkpoint's " + kept.name);
  return whole;
}

}  // namespace

template <class Real>
void save_checkpoint(const std::filesystem::path& file, Trainer<Real>& trainer, int64_t steps_done) {
  // Parts are put together among the ranks that share the first samples, shards among all.
  const bool first_samples = trainer.plan().data_index() == 0;
  std::vector<workloads::TensorView> tensors;
  std::deque<std::vector<Real>> wholes;
  for_each_tensor<Real>(trainer, [&](const Kept<Real>& kept) {
    if (!first_samples && !kept.sharded) return;
    std::vector<Real> whole = whole_of(trainer, kept);
    if (trainer.plan().rank != 0) return;
    wholes.push_back(std::move(whole));
    tensors.push_back(workloads::view<Real>(kept.name, sizes_of(kept.tensor), std::span<const Real>(wholes.back())));
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
  for_each_tensor<Real>(trainer, [&](const Kept<Real>& kept) {
    for (const Piece<Real>& piece : kept.pieces)
      copy_part(checkpoint.at(kept.name), kept.tensor, piece.first, piece.values);
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
