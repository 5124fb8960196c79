#pragma once

#include <span>
#include <string_view>

#include "reference_trainer/graph/builder.h"
#include "reference_trainer/graph/gradients.h"
#include "reference_trainer/graph/loops.h"

namespace lockstep::graph {

/// A row of the op table: everything the graph knows of a kind of op. A new op is one file in ops/ with its rows.
struct OpRow {
  OpKind kind;
  OpLoops (*loops)(const Graph&, const Op&);
  int64_t (*flops)(const Graph&, const Op&, int64_t batch);
  /// Makes the op from a workload's entry; nullptr for kinds that only differentiation makes.
  void (*build)(Builder&, const OpSpec&);
  /// Writes the gradient ops; nullptr for kinds that are themselves gradients.
  void (*differentiate)(Gradients&, const Op&);
  /// The keys that a workload's entry of this kind may have besides op, name, in and activation, with blanks between.
  std::string_view keys = {};
  /// The part of `flops` that is matrix products, convolutions and recurrences, of forward kinds that have such a part:
  /// what "model FLOPs" count.
  int64_t (*products)(const Graph&, const Op&, int64_t batch) = nullptr;
};

/// All rows.
std::span<const OpRow> op_table();

/// The row of a kind.
const OpRow& row_of(OpKind kind);

}  // namespace lockstep::graph
