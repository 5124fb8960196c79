#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "reference_trainer/kernels/executable.h"
#include "reference_trainer/train/memory_block.h"
#include "reference_trainer/train/model_state.h"

namespace lockstep::train {

/// Memory that a graph runs on, by who owns it: persistent arrays belong to ModelState, everything else to the engine.
struct EngineOptions {
  const kernels::KernelSet* kernels = nullptr;
  kernels::Precision precision = kernels::Precision::fp32;
  int threads = 1;
};

/// What a graph is bound to: the arrays of parameters and of their gradients, and which of several activation memories,
/// of which each may be in use at the same time.
template <class Real>
struct BindTo {
  std::span<Real> parameters, gradients;
  int memory = 0;
};

/// A graph compiled and bound for one batch size.
struct Bound {
  std::unique_ptr<kernels::Executable> executable;
  std::vector<void*> addresses;  ///< by buffer; the first graph.tensors.size() are the tensors
  int64_t arena_bytes = 0;
  int64_t samples = 0;
  int64_t padding = 0;  ///< how many of them count for nothing, see StepContext
};

/// Compiles the graph for the batch sizes that come (ragged batches, microbatches, evaluation), once each, and gives
/// all of them the same activation memory, or one of several: in each only one runs at a time. Inputs and metrics have
/// memory of their own.
template <class Real>
class Engine {
 public:
  /// `stage`: index into the plan's stages; the graph is that stage's.
  Engine(size_t stage, const ModelState<Real>& state, EngineOptions options);

  /// The graph bound for `batch` >= 1 samples.
  Bound& bound(int64_t batch, bool training, const BindTo<Real>& to);

  /// The memory of an input of a bound graph: [batch, dims].
  template <class T>
  std::span<T> input(const Bound& bound, graph::TensorId tensor, int64_t batch) const {
    return {static_cast<T*>(bound.addresses[static_cast<size_t>(tensor)]),
            static_cast<size_t>(elements(graph_.tensor(tensor), batch))};
  }
  Real metric(const Bound& bound, graph::TensorId tensor) const {
    return *static_cast<Real*>(bound.addresses[static_cast<size_t>(tensor)]);
  }

  /// Largest arenas so far, all memories together: the planned peak of activations and workspace.
  int64_t arena_bytes() const;

 private:
  struct Key {
    int64_t batch;
    bool training;
    const Real *parameters, *gradients;
    int memory;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<void*> place(const kernels::Executable& executable, const Key& key, const BindTo<Real>& to, Bound& bound);
  void* persistent(graph::TensorId tensor, int64_t bytes, const BindTo<Real>& to);
  std::byte* arena(size_t bytes, int memory);

  const size_t stage_;
  const graph::Graph& graph_;
  const ModelState<Real>& state_;
  EngineOptions options_;
  std::map<Key, Bound> bounds_;
  std::vector<MemoryBlock> blocks_;  ///< inputs and metrics
  /// By memory: the last one is the largest; earlier ones stay for who is bound to them.
  std::map<int, std::vector<MemoryBlock>> arenas_;
};

}  // namespace lockstep::train
