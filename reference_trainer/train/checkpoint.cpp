#include "reference_trainer/train/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <functional>

#include "adapters/contract/invariant.h"

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

/// What a rank keeps of a tensor: elements of its part from `first` on.
template <class Real>
struct Piece {
  int64_t first = 0;
  std::span<Real> values;
};

/// A persistent tensor under its name in the file, and what this rank keeps of it: nothing, where it is of another
/// stage.
template <class Real>
struct Kept {
  std::string name;
  const graph::Tensor* tensor = nullptr;  ///< the rank's part
  bool is_first_holder = false, sharded = false;
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

/// The state of an op, where this rank has it.
template <class Real>
Kept<Real> kept_state(Trainer<Real>& trainer, const std::string& name) {
  const plan::Plan& plan = trainer.plan();
  for (const auto& [key, block] : trainer.state().states()) {
    const plan::LocalGraph& local = plan.stages[key.first].local;
    const graph::Tensor& tensor = local.graph.tensor(key.second);
    if (tensor.name != name || plan.stages[key.first].direction != 0) continue;
    plan::Slot as_slot;
    for (const auto& axes : local.layouts[static_cast<size_t>(key.second)].split)
      as_slot.split.insert(as_slot.split.end(), axes.begin(), axes.end());
    return {"state." + name,
            &tensor,
            plan.is_first_holder(as_slot, false),
            false,
            {{0, trainer.state().state(key.first, key.second)}}};
  }
  return {"state." + name, nullptr, false, false, {}};
}

/// All persistent tensors of the model, in the same order on all ranks. Of a parameter that this rank holds twice the
/// first comes; `visit_again` gets the others.
template <class Real>
void for_each_tensor(Trainer<Real>& trainer, const std::function<void(const Kept<Real>&)>& visit,
                     const std::function<void(const Kept<Real>&)>& visit_again) {
  ModelState<Real>& state = trainer.state();
  const plan::Plan& plan = trainer.plan();
  const auto kept = [&](const std::string& name, const plan::Slot* slot, const plan::Held& held,
                        std::span<Real> array) {
    if (!slot) return Kept<Real>{name, nullptr, false, held.sharded, {}};
    return Kept<Real>{name, &plan.local(*slot).graph.tensor(slot->parameter), plan.is_first_holder(*slot, held.sharded),
                      held.sharded, pieces_of(*slot, held, array)};
  };
  for (size_t p = 0; p < plan.whole.parameters.size(); ++p) {
    const std::string& name = plan.whole.tensor(plan.whole.parameters[p]).name;
    std::vector<const plan::Slot*> slots;
    for (const plan::Slot& slot : plan.slots) {
      if (slot.index == p) slots.push_back(&slot);
    }
    // The first owner counts, so it must be the one that is visited.
    std::ranges::stable_partition(slots, [&](const plan::Slot* slot) { return plan.is_first_holder(*slot, false); });
    if (slots.empty()) slots.push_back(nullptr);
    for (size_t s = 0; s < slots.size(); ++s) {
      const auto& use = s == 0 ? visit : visit_again;
      use(kept(name, slots[s], plan.parameters, state.parameters()));
      for (int k = 0; k < state.optimizer_arrays(); ++k)
        use(kept(optimizer_name(k, name), slots[s], plan.optimizer, state.optimizer_array(k)));
    }
  }
  for (size_t t = 0; t < plan.whole.tensors.size(); ++t) {
    const graph::Tensor& whole = plan.whole.tensors[t];
    if (whole.role == graph::Role::state) visit(kept_state(trainer, whole.name));
  }
}

/// The whole tensor that a name in the file stands for.
const graph::Tensor& whole_tensor(const plan::Plan& plan, std::string_view name) {
  for (std::string_view prefix : {std::string_view("state."), std::string_view("optimizer.")}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    if (prefix == "optimizer.") name.remove_prefix(name.find('.') + 1);
  }
  return plan.whole.tensor(plan.whole.find(name));
}

/// A whole tensor from its parts: each first holder puts down its own, and the sum of all is the tensor.
template <class Real>
std::vector<Real> whole_of(Trainer<Real>& trainer, const Kept<Real>& kept) {
  const int64_t count = graph::elements(whole_tensor(trainer.plan(), kept.name), 1);
  std::vector<Real> whole(static_cast<size_t>(count), Real(0));
  if (kept.tensor && kept.is_first_holder) {
    const std::vector<int64_t> places = graph::whole_elements(*kept.tensor);
    for (const Piece<Real>& piece : kept.pieces) {
      for (size_t i = 0; i < piece.values.size(); ++i) {
        const size_t at = static_cast<size_t>(piece.first) + i;
        whole[places.empty() ? at : static_cast<size_t>(places[at])] = piece.values[i];
      }
    }
  }
  const std::vector<plan::Axis> axes = trainer.plan().holder_axes(kept.sharded);
  if (axes.empty()) return whole;
  trainer.groups().over(axes).run(comm::Operation::reduce, std::span<Real>(whole), "a checkpoint's " + kept.name);
  return whole;
}

}  // namespace

template <class Real>
void save_checkpoint(const std::filesystem::path& file, Trainer<Real>& trainer, int64_t steps_done,
                     const workloads::Metadata& more) {
  LOCKSTEP_INVARIANT(trainer.is_drained(), "a checkpoint while microbatches of {} are in flight",
                     text::print(trainer.plan().strategy));
  // Parts are put together among the ranks that share the first samples, shards and parts over dp among all.
  const bool first_samples = trainer.plan().mesh.coordinate(trainer.plan().rank, plan::Axis::dp) == 0;
  std::vector<workloads::TensorView> tensors;
  std::deque<std::vector<Real>> wholes;
  const auto collect = [&](const Kept<Real>& kept) {
    if (!first_samples && !plan::contains(trainer.plan().holder_axes(kept.sharded), plan::Axis::dp)) return;
    std::vector<Real> whole = whole_of(trainer, kept);
    if (trainer.plan().rank != 0) return;
    wholes.push_back(std::move(whole));
    tensors.push_back(workloads::view<Real>(kept.name, sizes_of(whole_tensor(trainer.plan(), kept.name)),
                                            std::span<const Real>(wholes.back())));
  };
  for_each_tensor<Real>(trainer, collect, [](const Kept<Real>&) {});
  if (trainer.plan().rank != 0) return;
  workloads::Metadata metadata = more;
  metadata["lockstep.steps_done"] = std::to_string(steps_done);
  metadata["lockstep.optimizer_arrays"] = std::to_string(trainer.state().optimizer_arrays());
  metadata["lockstep.loss_scale"] = trainer.loss_scale().text();
  workloads::write_safetensors(file, tensors, metadata);
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
  const auto take = [&](const Kept<Real>& kept) {
    for (const Piece<Real>& piece : kept.pieces)
      copy_part(checkpoint.at(kept.name), *kept.tensor, piece.first, piece.values);
  };
  for_each_tensor<Real>(trainer, take, take);
  const auto scale = checkpoint.metadata().find("lockstep.loss_scale");
  if (scale != checkpoint.metadata().end()) trainer.loss_scale().restore(scale->second);
  int64_t done = 0;
  std::from_chars(steps->second.data(), steps->second.data() + steps->second.size(), done);
  return done;
}

template void save_checkpoint(const std::filesystem::path&, Trainer<float>&, int64_t, const workloads::Metadata&);
template void save_checkpoint(const std::filesystem::path&, Trainer<double>&, int64_t, const workloads::Metadata&);
template int64_t load_checkpoint(const std::filesystem::path&, Trainer<float>&);
template int64_t load_checkpoint(const std::filesystem::path&, Trainer<double>&);

}  // namespace lockstep::train
