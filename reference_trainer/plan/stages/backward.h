#pragma once

#include <cstdint>
#include <vector>

#include "reference_trainer/graph/graph.h"

namespace lockstep::stages {

/// What a differentiated graph does not write down: which forward op each backward op belongs to, and which tensor is
/// the gradient of another one when only the readers from some op on have contributed. The graph is as differentiate()
/// leaves it: fuse activations afterwards.
class Backward {
 public:
  explicit Backward(const graph::Graph& differentiated);

  /// The forward op whose gradient this op computes, or whose contribution a sum adds; a forward op is its own.
  int32_t forward_of(int32_t op) const { return forward_of_[static_cast<size_t>(op)]; }

  /// The gradient of `tensor` that forward ops from `first` on contribute; kNoTensor when none of them does. `add`
  /// and `positions` hand their own gradient on, so this may be the gradient tensor of another one.
  graph::TensorId gradient_from(graph::TensorId tensor, int32_t first) const;

 private:
  int32_t find_forward(const graph::Op& op) const;
  int32_t find_summand(const graph::Op& sum) const;
  /// True when no backward op of a forward op writes the gradient of its operand: the result's serves.
  bool hands_on(int32_t forward, graph::TensorId operand) const;

  const graph::Graph& graph_;
  std::vector<int32_t> producers_;
  std::vector<int32_t> writers_;  ///< by tensor: the backward op that writes it, -1: none
  std::vector<int32_t> forward_of_;
};

}  // namespace lockstep::stages
