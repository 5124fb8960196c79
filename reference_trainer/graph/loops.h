#pragma once

#include <cstdint>
#include <vector>

#include "reference_trainer/graph/graph.h"

namespace lockstep::graph {

/// One loop of an op's nest. A loop that does not index a result is contracted there: split over ranks, it leaves that
/// result partial (a sum). `window` loops read a neighbourhood (halos when split); `whole` loops may not be split.
/// The weight of a product has loops that it makes (`out`) and loops that it contracts (`in`), in the forward op and
/// in its gradients alike; all others are `plain`.
struct Loop {
  enum Kind : uint8_t { map, window, whole };
  enum Place : uint8_t { plain, out, in };
  Dim dim = Dim::batch;
  int64_t size = 0;  ///< 0 for the batch
  Kind kind = map;
  Place place = plain;
};

/// Which loops there are and which of them indexes each axis of each operand: inputs first, then outputs. -1: the axis
/// has no loop of its own (all of it is read whatever the loops' values).
struct OpLoops {
  std::vector<Loop> loops;
  std::vector<std::vector<int8_t>> operands;
  /// The operand that is added to a sum, or made by one, over `out` and not `in` loops: a bias, or its gradient. Over a
  /// split `in` loop it counts once. -1: none.
  int8_t bias = -1;
  /// The operand whose `window` axes are read, or in a gradient written, a neighbourhood at a time. -1: none.
  int8_t wide = -1;

  bool indexes(size_t operand, size_t loop) const;
};

/// The loops of an op, from its kind and the shapes of its operands.
OpLoops loops_of(const Graph& graph, const Op& op);

}  // namespace lockstep::graph
