#pragma once

#include "reference_trainer/plan/plan.h"
#include "reference_trainer/plan/work.h"

namespace lockstep::plan {

/// Peak bytes of a rank by category, known before anything runs. Activations are those of plain formats without
/// in-place ops: the kernels need about as much, and report what they really planned. What kernels need besides is not
/// in here.
struct MemoryPlan {
  int64_t parameters = 0;
  int64_t stashed = 0;      ///< the other versions of the parameters that a pipeline without a flush keeps
  int64_t gradients = 0;    ///< with the second array, where microbatches or stages are added up
  int64_t optimizer = 0;    ///< of offloaded arrays a window
  int64_t offloaded = 0;    ///< in files, and so no part of the total
  int64_t activations = 0;  ///< of all microbatches that are held at once
  int64_t comm = 0;         ///< memory in which shards are packed, and messages that are on their way
  int64_t total() const { return parameters + stashed + gradients + optimizer + activations + comm; }
};

MemoryPlan peak_memory(const Plan& plan, const Work& work);

/// Peak of the activations of one microbatch of `batch` samples, in plain formats.
int64_t activation_bytes(const graph::Graph& graph, int64_t batch, int64_t real_bytes);

}  // namespace lockstep::plan
