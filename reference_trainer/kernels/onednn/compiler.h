#pragma once

#include <dnnl.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/kernels/executable.h"
#include "reference_trainer/kernels/onednn/primitive.h"
#include "reference_trainer/kernels/operand.h"
#include "reference_trainer/kernels/vector/vector_code.h"

namespace lockstep::kernels::onednn {

using Format = dnnl::memory::desc;
using Step = std::function<void(const StepContext&)>;

/// What is left of a compilation: the steps of each op and the primitives that want addresses.
struct Compiled {
  std::vector<BufferNeed> needs;
  std::vector<std::vector<Step>> steps;
  std::vector<std::shared_ptr<Primitive>> primitives;
  std::shared_ptr<Addresses> addresses = std::make_shared<Addresses>();
};

/// Goes through the ops in order and knows in which formats each tensor is in memory. A tensor's own buffer holds what
/// its producer wrote; copies in other formats are made when a reader first asks for them, and kept for later readers.
class Compiler {
 public:
  Compiler(const graph::Graph& graph, const CompileOptions& options);

  Compiled compile();

  // For the ops' compile functions.
  const graph::Graph& graph() const { return graph_; }
  Operand operand(graph::TensorId id) const { return operand_of(graph_, id, options_.batch); }
  /// How many threads the op being compiled keeps busy: fewer than there are where its work is short of the price of
  /// waking them.
  int threads() const;
  bool training() const { return options_.training; }
  const VectorCode& code() const { return code_; }
  const dnnl::engine& engine() const { return engine_; }

  /// The dense, row-major format of a tensor of reals or 16-bit numbers.
  Format plain(graph::TensorId id) const;
  /// The format in which the tensor's producer wrote it.
  Format format(graph::TensorId id) const;

  /// Where to read a tensor: dense, or in a format (a reorder comes before the op where needed).
  Slot in(graph::TensorId id);
  Slot in(graph::TensorId id, const Format& format);
  /// Where to write a tensor.
  Slot out(graph::TensorId id);
  /// In another format than the dense one; tensors that others see (gradients, metrics) get a dense copy afterwards.
  Slot out(graph::TensorId id, const Format& format);
  /// Over the memory of `over` (in `format`) when this op is its last reader, else as out(id, format).
  Slot out_over(graph::TensorId id, graph::TensorId over, const Format& format);
  /// The same memory as `of`, when both may share it; false: the op has to copy.
  bool share(graph::TensorId id, graph::TensorId of);
  /// Memory that lives during this op.
  Slot scratch(int64_t bytes);
  /// An opaque tensor of this size (a pool's workspace).
  Slot opaque_out(graph::TensorId id, int64_t bytes);

  void add(Step step);
  void add(const dnnl::primitive& primitive, const std::vector<Argument>& arguments);

 private:
  struct Version {
    Format format;
    int32_t buffer;
  };

  const graph::Tensor& tensor(graph::TensorId id) const { return graph_.tensor(id); }
  BufferNeed& need(int32_t buffer) { return result_.needs[static_cast<size_t>(buffer)]; }
  std::vector<Version>& versions(graph::TensorId id) { return versions_[static_cast<size_t>(id)]; }
  Slot slot(int32_t buffer) { return {result_.addresses, buffer}; }
  int32_t own_buffer(int64_t bytes);
  int32_t root(int32_t buffer) const;
  bool may_overwrite(graph::TensorId id, const Format& format) const;
  void alias(graph::TensorId id, graph::TensorId onto);
  /// What was made of parameters in other formats is not used from here on.
  void forget_parameters();
  void reorder(const Version& from, const Version& to, std::vector<Step>& steps);
  Step step_of(const dnnl::primitive& primitive, const std::vector<Argument>& arguments);

  const graph::Graph& graph_;
  const CompileOptions options_;
  const VectorCode& code_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  Compiled result_;
  std::vector<std::vector<Version>> versions_;  ///< by tensor; the producer's first
  int32_t op_ = 0;                              ///< being compiled
  std::vector<Step> after_;                     ///< steps to add when the op's own are there
};

/// Compiles one op.
using CompileOp = void (*)(Compiler&, const graph::Op&);

}  // namespace lockstep::kernels::onednn
