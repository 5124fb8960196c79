#pragma once

#include <vector>

#include "reference_trainer/plan/local_builder.h"

namespace lockstep::plan {

/// How an op runs whose result needs a loop whole, when that loop is split all the same: several local ops with
/// exchanges between them.
struct Expansion {
  graph::OpKind kind;
  graph::Dim loop;
  /// Writes the ops. `op` has local operands; the loop is split over `axes`.
  void (*expand)(LocalBuilder&, graph::Op op, const std::vector<Axis>& axes);
  std::string_view without = "";  ///< the end of the name of an operand that the expansion does without: kNoTensor
};

/// nullptr when there is none.
const Expansion* expansion_of(graph::OpKind kind, graph::Dim loop);

void expand_cross_entropy(LocalBuilder&, graph::Op op, const std::vector<Axis>& axes);
void expand_ring_attention(LocalBuilder&, graph::Op op, const std::vector<Axis>& axes);
void expand_ring_attention_grad(LocalBuilder&, graph::Op op, const std::vector<Axis>& axes);

}  // namespace lockstep::plan
