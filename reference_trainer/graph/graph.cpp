#include "reference_trainer/graph/graph.h"

namespace lockstep::graph {

TensorId Graph::find(std::string_view name) const {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == name) return static_cast<TensorId>(i);
  }
  return kNoTensor;
}

int64_t elements(const Shape& shape, int64_t batch) {
  int64_t count = 1;
  for (const Extent& extent : shape) count *= extent.dim == Dim::batch ? batch : extent.size;
  return count;
}

bool has_batch(const Shape& shape) { return !shape.empty() && shape.front().dim == Dim::batch; }

int64_t parameter_count(const Graph& graph) {
  int64_t count = 0;
  for (TensorId id : graph.parameters) count += elements(graph.tensor(id), 1);
  return count;
}

}  // namespace lockstep::graph
