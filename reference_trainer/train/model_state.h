#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "reference_trainer/plan/plan.h"
#include "reference_trainer/train/memory_block.h"
#include "workloads/data/safetensors.h"

namespace lockstep::train {

/// The persistent numbers of a rank: what it keeps of parameters, their gradients and the optimizer's arrays, which are
/// flat arrays laid out by the plan's slots, and the states of ops (running statistics). The plan outlives it.
template <class Real>
class ModelState {
 public:
  ModelState(const plan::Plan& plan, int optimizer_arrays);

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
  std::span<Real> optimizer_array(int index) const { return optimizer_[static_cast<size_t>(index)].as<Real>(); }
  int optimizer_arrays() const { return static_cast<int>(optimizer_.size()); }
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

  int64_t bytes_of_optimizer() const;
  /// Of the arrays of parameters besides the newest version.
  int64_t bytes_of_stashed() const;

 private:
  const plan::Plan& plan_;
  std::vector<MemoryBlock> weights_;
  int newest_ = 0;
  MemoryBlock gradients_;
  std::vector<MemoryBlock> optimizer_;
  std::map<StateKey, MemoryBlock> states_;
};

/// Copies to `out` the elements of a rank's part of a tensor from the `first` on, out of the whole tensor of F32 or F64
/// elements; throws Failure("setup") when the counts do not fit.
template <class Real>
void copy_part(const workloads::TensorView& whole, const graph::Tensor& tensor, int64_t first, std::span<Real> out);

}  // namespace lockstep::train
