#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reference_trainer/graph/graph.h"

namespace lockstep::kernels::testing {

/// A small graph made by hand: forward ops, then gradient ops that start at inputs named "d...".
/// Tensors to look at have role metric (outputs) or gradient, so that every kernel set leaves them dense.
struct CaseGraph {
  graph::Graph graph;
  std::vector<std::pair<graph::TensorId, graph::TensorId>> seeds;  ///< (output y, input dy)

  graph::TensorId input(const std::string& name, graph::Shape shape);
  /// `bound`: index values are in [0, bound).
  graph::TensorId index(const std::string& name, graph::Shape shape, int64_t bound);
  graph::TensorId parameter(const std::string& name, graph::Shape shape);
  graph::TensorId state(const std::string& name, graph::Shape shape);
  graph::TensorId activation(const std::string& name, graph::Shape shape, graph::Type type = graph::Type::real);
  /// An output to look at.
  graph::TensorId output(const std::string& name, graph::Shape shape);
  graph::TensorId gradient(graph::TensorId of);
  /// The gradient that arrives at output y: an input of y's shape.
  graph::TensorId seed(graph::TensorId y);
  void forward(graph::OpKind kind, std::vector<graph::TensorId> in, std::vector<graph::TensorId> out,
               const graph::Attributes& attr = {});
  void backward(graph::OpKind kind, std::vector<graph::TensorId> in, std::vector<graph::TensorId> out,
                const graph::Attributes& attr = {});

  const graph::Shape& shape(graph::TensorId id) const { return graph.tensor(id).shape; }
  int64_t index_bound(graph::TensorId id) const { return bounds[static_cast<size_t>(id)]; }

  bool scaled = false;          ///< parameters get the scale of their Init, instead of [-1, 1)
  std::vector<int64_t> bounds;  ///< by tensor; 0 for real ones

 private:
  graph::TensorId add(const std::string& name, graph::Shape shape, graph::Role role,
                      graph::Type type = graph::Type::real, int64_t bound = 0);
};

/// Shapes in short: the batch axis and these sizes.
graph::Shape batched(std::vector<graph::Extent> rest);

}  // namespace lockstep::kernels::testing
