#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference_trainer/plan/lower.h"

namespace lockstep::plan {

/// Writes a rank's local graph: tensors that are parts of whole ones, ops on them, and exchanges between layouts.
class LocalBuilder {
 public:
  LocalBuilder(const Mesh& mesh, int rank) : mesh_(mesh), rank_(rank) {}

  const Mesh& mesh() const { return mesh_; }
  const graph::Tensor& tensor(graph::TensorId id) const { return local_.graph.tensor(id); }
  const Layout& layout(graph::TensorId id) const { return local_.layouts[static_cast<size_t>(id)]; }
  LocalGraph& local() { return local_; }

  /// This rank's part of a whole tensor in a layout. Throws Failure("unsupported") when an axis has fewer positions
  /// than ranks that share it.
  graph::TensorId add(const graph::Tensor& whole, Layout layout);
  /// One that has no whole counterpart.
  graph::TensorId add(const std::string& name, const graph::Shape& whole, Layout layout);
  /// The same part of a tensor of the same shape as another's.
  graph::TensorId add_like(const std::string& name, graph::TensorId other);
  void add(graph::Op op) { local_.graph.ops.push_back(std::move(op)); }

  /// The tensor in another layout, by as many exchanges as that takes; the tensor itself where it is there already.
  /// `reader` is the op that wants it.
  graph::TensorId convert(graph::TensorId id, const Layout& want, const std::string& reader);
  /// What the rank before this one on an axis holds, when `id` has been handed on `turns` - 1 times.
  graph::TensorId rotate(graph::TensorId id, Axis axis, int turns, const std::string& reader);
  /// The maximum over an axis of what its ranks hold.
  graph::TensorId max_over(graph::TensorId id, Axis axis, const std::string& reader);

 private:
  graph::TensorId exchange(graph::TensorId id, const Conversion& conversion, Reduction reduction, Layout layout,
                           const std::string& reader);
  graph::Part part_of(const std::string& name, const graph::Shape& whole, const Layout& layout, int rank) const;
  graph::TensorId finish(Exchange entry);
  graph::TensorId add_part(const graph::Tensor& whole, Layout layout, int rank);
  const graph::Shape& whole_shape(graph::TensorId id) const;

  const Mesh& mesh_;
  const int rank_;
  LocalGraph local_;

 public:
  /// What the expansion of a forward op leaves for that of its gradient, by the forward op's name.
  std::map<std::string, std::vector<graph::TensorId>> kept;
};

}  // namespace lockstep::plan
