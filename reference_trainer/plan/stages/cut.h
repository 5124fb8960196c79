#pragma once

#include <cstdint>
#include <vector>

#include "reference_trainer/graph/graph.h"

namespace lockstep::stages {

/// Forward ops [begins[s], begins[s+1]) are stage s; the last stage ends with the forward ops. begins[0] is 0.
struct Cut {
  std::vector<int32_t> begins;
  int stages() const { return static_cast<int>(begins.size()); }
  /// The stage of a forward op.
  int stage_of(int32_t op) const;
  bool operator==(const Cut&) const = default;
};

/// Forward ops of a graph, differentiated or not.
int32_t forward_ops(const graph::Graph&);

/// The forward op that makes each tensor; -1 for those that none makes.
std::vector<int32_t> producers(const graph::Graph&);

/// What crosses a cut before op `cut`: tensors that an op before it makes and one at or after it reads. A tensor that
/// is read several stages later crosses every border between. Inputs, parameters and states do not: a stage has its
/// own.
std::vector<graph::TensorId> border_tensors(const graph::Graph&, int32_t cut);

/// Ops before which the graph may be cut, in order: everything that crosses is a real activation with a batch axis,
/// some of it depends on a parameter (there is a gradient to send back), and no activation is cut off from the linear
/// or conv2d that it can be fused into.
std::vector<int32_t> legal_cuts(const graph::Graph&);

}  // namespace lockstep::stages
