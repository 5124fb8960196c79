#pragma once

#include <cstdint>
#include <filesystem>

#include "reference_trainer/train/model_state.h"

namespace lockstep::train {

/// Writes everything that an exact resume needs as one safetensors file, atomically: parameters under their names,
/// optimizer arrays as "optimizer.K.NAME", states of ops as "state.NAME", and in the metadata the steps done. The order
/// of samples and the dropout masks depend on the step alone, so there is no random state to keep.
template <class Real>
void save_checkpoint(const std::filesystem::path& file, const ModelState<Real>& state, const graph::Graph& graph,
                     int64_t steps_done);

/// Restores it and returns the steps done. Throws Failure("setup") when the file belongs to another model.
template <class Real>
int64_t load_checkpoint(const std::filesystem::path& file, ModelState<Real>& state, const graph::Graph& graph);

}  // namespace lockstep::train
