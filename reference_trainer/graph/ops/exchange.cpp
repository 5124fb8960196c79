// exchange: a tensor in another layout. Lowering writes these ops; what they do is an entry of the plan, and who runs
// the graph carries it out.
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace exchange {

/// No loop: an exchange is the result of a layout, not a subject of one.
OpLoops loops(const Graph& graph, const Op& op) {
  OpLoops result;
  for (TensorId id : {op.in[0], op.out[0]}) {
    result.operands.emplace_back(graph.tensor(id).shape.size(), int8_t{-1});
  }
  return result;
}

int64_t flops(const Graph&, const Op&, int64_t) { return 0; }

constexpr OpRow kRows[] = {{OpKind::exchange, loops, flops, nullptr, nullptr}};

}  // namespace exchange

std::span<const OpRow> exchange_rows() { return exchange::kRows; }

}  // namespace lockstep::graph::ops
