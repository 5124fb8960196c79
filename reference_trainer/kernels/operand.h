#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference_trainer/graph/graph.h"
#include "reference_trainer/kernels/executable.h"

namespace lockstep::kernels {

/// A tensor with its batch size filled in, and where its numbers are once a graph is bound.
struct Operand {
  graph::TensorId id = graph::kNoTensor;
  const graph::Tensor* tensor = nullptr;
  const graph::Shape* shape = nullptr;
  std::vector<int64_t> dims;
  int64_t count = 1;
  void* data = nullptr;

  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

Operand operand_of(const graph::Graph& graph, graph::TensorId id, int64_t batch);
std::vector<Operand> operands_of(const graph::Graph& graph, const std::vector<graph::TensorId>& ids, int64_t batch);

/// Positions that a linear op treats alike: the product of the leading batch and seq axes.
int64_t rows_of(const Operand& operand);

/// Samples of an operand, of one rank where several ranks' lie in it; 1 where it has no batch axis.
int64_t batch_of(const Operand& operand);

/// The last axis.
int64_t width_of(const Operand& operand);

/// An operand around one of its axes: elements = outer x positions x inner, in that order.
struct Around {
  int64_t outer = 1, positions = 1, inner = 1;
};
Around around(const Operand& operand, int axis);

/// Rows of a table indexed by its first axis, of which a rank may hold a part: [first, first + count) of the whole.
struct Rows {
  int64_t first = 0, count = 0;

  /// Where row `index` of the whole lies in the part; -1: elsewhere.
  int64_t local(int64_t index) const { return index >= first && index < first + count ? index - first : -1; }
};
Rows rows_of_part(const Operand& operand, size_t axis);

/// Ops that will run: all of them in training, else the forward ones.
int32_t ops_to_run(const graph::Graph& graph, const CompileOptions& options);

/// One need a tensor, dense and row-major, live from the op that first touches it to the last.
std::vector<BufferNeed> plain_buffers(const graph::Graph& graph, const CompileOptions& options);

/// Bytes of one number of a tensor.
int64_t bytes_per_number(const graph::Tensor& tensor, Precision precision);

/// The name that keys a dropout's mask: the gradient op "NAME.grad" draws that of its forward op NAME.
std::string_view dropout_stream(std::string_view op_name);

}  // namespace lockstep::kernels
