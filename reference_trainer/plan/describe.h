#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference_trainer/plan/plan.h"

namespace lockstep::plan {

/// One kind of communication in a step, as every rank does it.
struct ExchangeLine {
  std::string operation;  ///< "all_reduce gradients"
  int64_t calls = 0;      ///< a step
  int64_t bytes = 0;      ///< of the buffers of all calls together
  int64_t sent = 0;       ///< by one rank in a step, by the algorithm's formula
  std::string axis, algorithm, why;
};

/// Peak bytes of a rank by category, known before anything runs. Activations are those of plain formats without
/// in-place ops: the kernels need about as much, and report what they really planned.
struct MemoryPlan {
  int64_t parameters = 0, gradients = 0, optimizer = 0, activations = 0;
  int64_t total() const { return parameters + gradients + optimizer + activations; }
};

/// What a plan does in a step: the model of `lockstep plan`.
struct Description {
  std::string strategy;
  int ranks = 1, microbatches = 1;
  int64_t batch = 0;             ///< samples of the global batch
  int64_t most = 0, fewest = 0;  ///< samples of a rank
  int64_t parameters = 0;
  int64_t model_flops = 0;          ///< of a step of the whole job: GEMMs times 3
  std::vector<std::string> groups;  ///< "dp {0,1}"
  std::vector<ExchangeLine> exchanges;
  MemoryPlan memory;
  std::string actions;               ///< of a rank
  std::vector<std::string> layouts;  ///< "fc1: [batch/dp, hidden 256]", one a tensor of the forward pass
  std::vector<std::string> origins;  ///< where each collective comes from
};

/// Pure. `optimizer_arrays`: arrays as large as the parameters that the optimizer keeps.
Description describe(const Plan& plan, int64_t batch, int64_t real_bytes, int optimizer_arrays);

/// Peak of the activations of one microbatch of `batch` samples, in plain formats.
int64_t activation_bytes(const graph::Graph& graph, int64_t batch, int64_t real_bytes);

}  // namespace lockstep::plan
