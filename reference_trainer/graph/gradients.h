#pragma once

#include <vector>

#include "reference_trainer/graph/graph.h"

namespace lockstep::graph {

/// What an op's row needs to write its gradient ops: reverse-mode differentiation by graph rewriting.
class Gradients {
 public:
  explicit Gradients(Graph& graph);

  Graph& graph() { return graph_; }

  /// The gradient of `tensor` that its readers have contributed so far; kNoTensor when none of them did.
  TensorId of(TensorId tensor) const { return gradient_[static_cast<size_t>(tensor)]; }
  /// True when a gradient of this tensor is wanted: it is a parameter or depends on one.
  bool wanted(TensorId tensor) const { return wanted_[static_cast<size_t>(tensor)]; }
  /// A fresh tensor for (a part of) the gradient of `tensor`; it still has to be written by an op and contributed.
  TensorId make(TensorId tensor);
  /// Says that `part` is one summand of the gradient of `tensor`; adds an `add` op when there was one already.
  void contribute(TensorId tensor, TensorId part);
  void add(Op op) { graph_.ops.push_back(std::move(op)); }

 private:
  Graph& graph_;
  std::vector<TensorId> gradient_;
  std::vector<int> parts_;
  std::vector<bool> wanted_;
};

/// Appends to a forward graph the ops that compute the gradient of its loss with respect to every parameter. The
/// gradient of parameter P is the tensor with role gradient and `of` == P; parameters appear in `Graph::parameters`
/// unchanged. An op whose gradient nobody wants (of an input) is left out.
Graph differentiate(Graph graph);

/// The gradient tensor of each parameter, in the order of Graph::parameters.
std::vector<TensorId> parameter_gradients(const Graph& graph);

}  // namespace lockstep::graph
