#pragma once

#include <cstdint>
#include <filesystem>

#include "reference_trainer/train/trainer.h"

namespace lockstep::train {

/// Writes everything that an exact resume needs as one safetensors file, atomically: parameters under their names,
/// optimizer arrays as "optimizer.K.NAME", states of ops as "state.NAME", and in the metadata the steps done, the loss
/// scale and `more`. Tensors are whole, so another layout can resume. The order of samples and the dropout masks depend
/// on the step alone, so there is no random state to keep. All ranks call it; the first one writes.
template <class Real>
void save_checkpoint(const std::filesystem::path& file, Trainer<Real>& trainer, int64_t steps_done,
                     const workloads::Metadata& more = {});

/// Restores this rank's parts and returns the steps done. Throws Failure("setup") when the file belongs to another
/// model.
template <class Real>
int64_t load_checkpoint(const std::filesystem::path& file, Trainer<Real>& trainer);

}  // namespace lockstep::train
