#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference_trainer/plan/lower.h"
#include "reference_trainer/plan/window.h"

namespace lockstep::plan {

/// A window along an axis of a tensor, and how many outputs it has in all; 0: no window.
struct AxisWindow {
  Window window;
  int64_t outputs = 0;
};

/// Writes a rank's local graph: tensors that are parts of whole ones, ops on them, and exchanges between layouts.
class LocalBuilder {
 public:
  LocalBuilder(const Mesh& mesh, int rank) : mesh_(mesh), rank_(rank) {}

  const Mesh& mesh() const { return mesh_; }
  int rank() const { return rank_; }
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
  void set_type(graph::TensorId id, graph::Type type) { local_.graph.tensors[static_cast<size_t>(id)].type = type; }
  void add(graph::Op op) {
    local_.graph.ops.push_back(std::move(op));
    local_.sources.push_back(source);
  }

  /// The tensor in another layout, by as many exchanges as that takes; the tensor itself where it is there already.
  /// `reader` is the op that wants it.
  graph::TensorId convert(graph::TensorId id, const Layout& want, const std::string& reader);
  /// What the rank before this one on an axis holds, when `id` has been handed on `turns` - 1 times.
  graph::TensorId rotate(graph::TensorId id, Axis axis, int turns, const std::string& reader);
  /// The tensor with, along one of its axes, what the windows of this rank's share of `outputs` reach into: from the
  /// neighbours on `over` where the axis is split over it, from the tensor itself where it is not.
  graph::TensorId add_halo(graph::TensorId id, size_t axis, const Window& window, int64_t outputs, Axis over,
                           const std::string& reader);
  /// A tensor of gradients that is as wide as windows reach, in a layout that says which share of outputs they have.
  graph::TensorId add_wide(const graph::Tensor& whole, Layout layout, const std::vector<AxisWindow>& windows);
  /// The rank's part of a wide tensor: what reaches into the neighbours' parts is added there.
  graph::TensorId add_halo_up(graph::TensorId id, const std::string& reader);
  /// The maximum over an axis of what its ranks hold.
  graph::TensorId max_over(graph::TensorId id, Axis axis, const std::string& reader);

 private:
  graph::TensorId exchange(graph::TensorId id, const Conversion& conversion, Reduction reduction, Layout layout,
                           const std::string& reader);
  graph::Part part_of(const std::string& name, const graph::Shape& whole, const Layout& layout, int rank) const;
  graph::TensorId finish(Exchange entry);
  graph::TensorId add_part(const graph::Tensor& whole, Layout layout, int rank);
  const graph::Shape& whole_shape(graph::TensorId id) const;
  void take_blocks(graph::Tensor& tensor, const std::vector<Axis>& split, int rank) const;
  /// Of how many ranks the batches lie here when the samples are split so; 0: of this one alone.
  int64_t batches_here(const std::vector<Axis>& split) const;
  /// What each rank of an axis has of a tensor axis of `longer` positions; of samples, of so many ranks' batches.
  std::vector<std::vector<graph::Interval>> shares_of(int64_t longer, Axis axis) const;

  /// What every rank of the axis's group needs of an axis of `size` positions.
  std::vector<std::vector<graph::Interval>> needs_of(const Window& window, int64_t outputs, int64_t size,
                                                     Axis over) const;
  void widen(graph::TensorId id, size_t axis, const graph::Interval& interval);

  const Mesh& mesh_;
  const int rank_;
  std::map<graph::TensorId, std::vector<AxisWindow>> wide_;
  LocalGraph local_;

 public:
  /// What the expansion of a forward op leaves for that of its gradient, by the forward op's name.
  std::map<std::string, std::vector<graph::TensorId>> kept;
  int32_t source = 0;  ///< the op of the whole graph that is being lowered
};

}  // namespace lockstep::plan
