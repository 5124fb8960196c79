#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "reference_trainer/plan/plan.h"
#include "reference_trainer/train/mapped_memory.h"
#include "reference_trainer/train/memory_block.h"
#include "workloads/data/safetensors.h"

namespace lockstep::train {

/// The persistent numbers of a rank: what it keeps of parameters, their gradients and the optimizer's arrays, which are
/// flat arrays laid out by the plan's slots, and the states of ops (running statistics). The plan outlives it.
template <class Real>
class ModelState {
 public:
  /// `offload_folder`: where the files of offloaded arrays lie.
  ModelState(const plan::Plan& plan, int optimizer_arrays,
             const std::filesystem::path& offload_folder = std::filesystem::temp_directory_path());

  /// The newest version.
  std::span<Real> parameters() const { return weights(newest_); }
  /// One of the arrays of the plan's `weight_copies`: versions of the parameters in turn, or the last one, a
  /// prediction.
  std::span<Real> weights(int copy) const { return weights_[static_cast<size_t>(copy)].as<Real>(); }
  /// Copies the newest version to this array, which is the newest from now on.
  void begin_version(int copy);
  /// The newest version is in the first array from now on.
  void restart_versions();
  std::span<Real> gradients() const { return gradients_.as<Real>(); }
  std::span<Real> optimizer_array(int index) const { return optimizer_arrays_[static_cast<size_t>(index)]; }
  int optimizer_arrays() const { return static_cast<int>(optimizer_arrays_.size()); }
  /// These elements of the optimizer's arrays are not needed for now: offloaded ones leave memory.
  void rest(int64_t begin, int64_t count) const;
  /// A tensor with role state, by the stage (index into the plan's) whose op it belongs to.
  using StateKey = std::pair<size_t, graph::TensorId>;
  std::span<Real> state(size_t stage, graph::TensorId tensor) const {
    return states_.at({stage, tensor}).template as<Real>();
  }
  const std::map<StateKey, MemoryBlock>& states() const { return states_; }

  /// Takes what this rank keeps of every parameter from a file of F32 or F64 whole tensors named as the parameters.
  /// Throws Failure("setup") that names the tensor and both counts.
  void load_parameters(const workloads::SafetensorsFile& file);

  const plan::Plan& plan() const { return plan_; }

  /// In memory at once, and in files.
  int64_t bytes_of_optimizer() const;
  int64_t bytes_of_offloaded() const;
  /// Of the arrays of parameters besides the newest version.
  int64_t bytes_of_stashed() const;

 private:
  const plan::Plan& plan_;
  std::vector<MemoryBlock> weights_;
  int newest_ = 0;
  MemoryBlock gradients_;
  std::vector<MemoryBlock> optimizer_;
  std::vector<MappedMemory> offloaded_;
  std::vector<std::span<Real>> optimizer_arrays_;
  std::map<StateKey, MemoryBlock> states_;
};

/// Copies to `out` the elements of a rank's part of a tensor from the `first` on, out of the whole tensor of F32 or F64
/// elements; throws Failure("setup") when the counts do not fit.
template <class Real>
void copy_part(const workloads::TensorView& whole, const graph::Tensor& tensor, int64_t first, std::span<Real> out);

}  // namespace lockstep::train
