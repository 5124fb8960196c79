#include "reference_trainer/graph/graph.h"

namespace lockstep::graph {

std::string_view name(Type type) {
  switch (type) {
    case Type::real:
      return "real";
    case Type::index:
      return "index";
    case Type::bf16:
      return "bf16";
    case Type::fp16:
      return "fp16";
  }
  return "";
}

TensorId Graph::find(std::string_view name) const {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == name) return static_cast<TensorId>(i);
  }
  return kNoTensor;
}

int64_t elements(const Shape& shape, int64_t batch) {
  int64_t count = 1;
  for (const Extent& extent : shape) count *= positions(extent, batch);
  return count;
}

int64_t whole_index(const Tensor& tensor, size_t axis, int64_t index) {
  if (tensor.part.is_whole() || tensor.part.axes[axis].empty()) return index;
  for (const Interval& interval : tensor.part.axes[axis]) {
    if (index < interval.size()) return interval.begin + index;
    index -= interval.size();
  }
  return tensor.part.axes[axis].back().end;  // one past the last: an end
}

std::vector<int64_t> whole_elements(const Tensor& tensor) {
  if (tensor.part.is_whole()) return {};
  std::vector<int64_t> indices = {0};
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    if (tensor.shape[axis].dim == Dim::batch) continue;
    std::vector<int64_t> next;
    for (const int64_t outer : indices) {
      for (int64_t i = 0; i < tensor.shape[axis].size; ++i)
        next.push_back(outer * tensor.part.whole[axis].size + whole_index(tensor, axis, i));
    }
    indices = std::move(next);
  }
  return indices;
}

int64_t whole_count(const Tensor& tensor) {
  Shape sample = tensor.part.is_whole() ? tensor.shape : tensor.part.whole;
  if (has_batch(sample)) sample[0].size = 0;  // however many ranks' batches lie here
  return elements(sample, 1);
}

bool has_batch(const Shape& shape) { return !shape.empty() && shape.front().dim == Dim::batch; }

int64_t parameter_count(const Graph& graph) {
  int64_t count = 0;
  for (TensorId id : graph.parameters) count += elements(graph.tensor(id), 1);
  return count;
}

}  // namespace lockstep::graph
