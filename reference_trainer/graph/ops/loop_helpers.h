#pragma once

#include <initializer_list>

#include "reference_trainer/graph/loops.h"

namespace lockstep::graph::ops {

/// One loop an axis of `shape`.
inline std::vector<Loop> loops_over(const Shape& shape, Loop::Kind kind = Loop::map) {
  std::vector<Loop> loops;
  for (const Extent& extent : shape) loops.push_back({extent.dim, extent.size, kind});
  return loops;
}

/// The loops first, first + 1, ... of an operand with `axes` axes.
inline std::vector<int8_t> axes_from(int first, size_t axes) {
  std::vector<int8_t> indices(axes);
  for (size_t i = 0; i < axes; ++i) indices[i] = static_cast<int8_t>(first + static_cast<int>(i));
  return indices;
}

/// The next operand is a bias, or the gradient of one.
inline void add_bias(OpLoops& loops, const std::vector<int8_t>& axes) {
  loops.bias = static_cast<int8_t>(loops.operands.size());
  loops.operands.push_back(axes);
}

/// All operands are indexed alike by the axes of the first output.
inline OpLoops alike(const Graph& graph, const Op& op) {
  const Shape& shape = graph.tensor(op.out.front()).shape;
  OpLoops result{loops_over(shape), {}};
  result.operands.assign(op.in.size() + op.out.size(), axes_from(0, shape.size()));
  return result;
}

/// `per_element` operations an element of the first output.
template <int64_t per_element>
int64_t flops_per_output(const Graph& graph, const Op& op, int64_t batch) {
  return per_element * elements(graph.tensor(op.out.front()), batch);
}

/// The same an element of the first input.
template <int64_t per_element>
int64_t flops_per_input(const Graph& graph, const Op& op, int64_t batch) {
  return per_element * elements(graph.tensor(op.in.front()), batch);
}

/// Two operations for each point of the whole loop nest.
inline int64_t flops_of_contraction(const Graph& graph, const Op& op, int64_t batch) {
  int64_t points = 2;
  for (const Loop& loop : loops_of(graph, op).loops) points *= positions({loop.dim, loop.size}, batch);
  return points;
}

}  // namespace lockstep::graph::ops
