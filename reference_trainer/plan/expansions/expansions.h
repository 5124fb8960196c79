#pragma once

#include <vector>

#include "reference_trainer/plan/local_builder.h"

namespace lockstep::plan {

/// How an op runs whose result needs a loop whole, when that loop is split all the same: several local ops with
/// exchanges between them.
struct Expansion {
  graph::OpKind kind;
  graph::Dim loop;
  /// Writes the ops. `op` has local operands; the loop, and others that the op has expansions for, are split over
  /// `axes`.
  void (*expand)(LocalBuilder&, graph::Op op, const std::vector<Axis>& axes);
  std::string_view without = "";  ///< the end of the name of an operand that the expansion does without: kNoTensor
  bool where_asked = false;       ///< only where a rule synchronizes
  bool one_axis = false;          ///< the ranks of one axis alone can split the loop: they stand in a ring
  bool leaves_sums = false;       ///< results that the loop does not index are each rank's part of a sum
};

/// nullptr when there is none.
const Expansion* expansion_of(graph::OpKind kind, graph::Dim loop);

void expand_cross_entropy(LocalBuilder&, graph::Op op, const std::vector<Axis>& axes);
void expand_batch_norm(LocalBuilder&, graph::Op op, const std::vector<Axis>& axes);
void expand_batch_norm_grad(LocalBuilder&, graph::Op op, const std::vector<Axis>& axes);
void expand_ring_attention(LocalBuilder&, graph::Op op, const std::vector<Axis>& axes);
void expand_ring_attention_grad(LocalBuilder&, graph::Op op, const std::vector<Axis>& axes);

}  // namespace lockstep::plan
