#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reference_trainer/graph/graph.h"

namespace lockstep::kernels {

enum class Precision : uint8_t { fp32, fp64 };

class Exchanges;

/// What kernels read at run time.
struct StepContext {
  int64_t step = 0;
  double loss_scale = 1;  ///< 1 / positions of the global batch, times what the loss is scaled by (fp16)
  bool training = true;
  uint64_t seed = 0;  ///< of dropout masks
  int32_t microbatch = 0;
  int64_t samples = 0;  ///< of the microbatch
  int64_t padding = 0;  ///< how many of the last ones count for nothing: there for ranks that have one more
  Exchanges* exchanges = nullptr;
};

/// Carries out the ops of a graph that are communication (exchange, gather_shards, scatter_shards): whoever runs an
/// executable that has some gives it one.
class Exchanges {
 public:
  virtual ~Exchanges() = default;
  /// `in` and `out` are the operands' memory, dense and row-major; those of an exchange that may be in place may be the
  /// same.
  virtual void run(const graph::Op& op, const StepContext& context, int64_t batch, std::span<void* const> in,
                   std::span<void* const> out) = 0;
};

/// A piece of memory that a compiled graph works on. One for each tensor that is an operand, then the executable's own
/// (reordered copies, scratch). Live from before `first_op` to after `last_op`.
struct BufferNeed {
  graph::TensorId tensor = graph::kNoTensor;  ///< kNoTensor: the executable's own
  int64_t bytes = 0;                          ///< may exceed the plain size of the tensor (padded formats)
  int32_t first_op = 0;                       ///< index into Graph::ops of the op that writes it first
  int32_t last_op = 0;                        ///< of the last reader
  int32_t alias = -1;  ///< the same memory as this buffer (reshape, in-place ops): its index, smaller than this one's
};

/// A graph compiled for one batch size, one precision and one kernel set: primitives are created once, formats are
/// chosen, reorders placed. Parameters, gradients, inputs and metrics are always in the plain, dense, row-major format.
class Executable {
 public:
  virtual ~Executable() = default;

  /// Index t < tensors.size(): the buffer of tensor t (bytes 0 when no op touches it); after those the executable's
  /// own.
  virtual const std::vector<BufferNeed>& buffers() const = 0;

  /// Gives every buffer its address (64-byte aligned), once, before the first run. Buffers that alias get equal ones.
  virtual void bind(std::span<void* const> addresses) = 0;

  /// Runs op `index` of the graph on the bound memory.
  virtual void run(int32_t index, const StepContext& context) = 0;
};

/// What a kernel set can be asked for.
struct CompileOptions {
  Precision precision = Precision::fp32;
  int64_t batch = 1;  ///< samples in a microbatch
  int threads = 1;    ///< of this rank, at most
  /// What a thread must have to do, in seconds of one core, before an op uses one more: some times what it takes to
  /// wake and join it.
  double seconds_worth_a_thread = 5e-6;
  bool training = true;  ///< false: only the forward ops will run
  /// Parameters may have other values in backward than in forward, so nothing made of them there is used here.
  bool weights_change = false;
};

/// A row of the table of kernel sets: "naive" (the oracle) and "onednn".
struct KernelSet {
  std::string_view name;
  std::string_view summary;
  bool (*supports)(Precision);
  std::unique_ptr<Executable> (*compile)(const graph::Graph&, const CompileOptions&);
};

/// All kernel sets of this build, the fastest first.
std::span<const KernelSet> kernel_sets();

/// The set with this name ("auto": the first that supports the precision); throws Failure("unsupported") with the names
/// there are.
const KernelSet& kernel_set(std::string_view name, Precision precision);

}  // namespace lockstep::kernels
