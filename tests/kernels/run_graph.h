#pragma once

#include <map>
#include <vector>

#include "reference_trainer/kernels/executable.h"
#include "tests/kernels/case_graph.h"

namespace lockstep::kernels::testing {

/// Values of the tensors that have a plain format, in double; index tensors too.
using Values = std::map<graph::TensorId, std::vector<double>>;

/// Inputs, parameters and state: uniform in [-1, 1) (state in [0.5, 1.5)), the same for a tensor id and seed.
Values random_values(const CaseGraph& c, int64_t batch, uint64_t seed);

/// Compiles, binds and runs a graph, and keeps its memory. Buffers are filled with NaN before the op that first writes
/// them and after their last reader, so that a wrong lifetime shows.
class Runner {
 public:
  Runner(const CaseGraph& c, const KernelSet& set, const CompileOptions& options);

  void set(const Values& values);
  /// Runs every op, or the forward ones.
  void run(const StepContext& context = {});
  /// Outputs, gradients and state.
  Values get() const;
  Executable& executable() { return *executable_; }

 private:
  void poison(size_t buffer);
  bool lives_only_in_ops(size_t buffer) const;

  const CaseGraph& case_;
  CompileOptions options_;
  std::unique_ptr<Executable> executable_;
  std::vector<std::vector<char>> memory_;
  std::vector<void*> addresses_;
};

/// Largest |a - b| / max(1, largest |b|) over the tensors of b.
double worst_difference(const Values& a, const Values& b);

}  // namespace lockstep::kernels::testing
