// exchange: a tensor in another layout. gather_shards, scatter_shards: between a rank's shards and whole tensors. send,
// receive: between stages of a pipeline. The planner writes these ops; what they do is an entry of the plan, and who
// runs the graph carries it out.
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace exchange {

/// No loop: an exchange is the result of a layout, not a subject of one.
OpLoops loops(const Graph& graph, const Op& op) {
  OpLoops result;
  for (const auto* ids : {&op.in, &op.out}) {
    for (TensorId id : *ids) result.operands.emplace_back(graph.tensor(id).shape.size(), int8_t{-1});
  }
  return result;
}

int64_t flops(const Graph&, const Op&, int64_t) { return 0; }

constexpr OpRow kRows[] = {
    {OpKind::exchange, loops, flops, nullptr, nullptr},       {OpKind::gather_shards, loops, flops, nullptr, nullptr},
    {OpKind::scatter_shards, loops, flops, nullptr, nullptr}, {OpKind::send, loops, flops, nullptr, nullptr},
    {OpKind::receive, loops, flops, nullptr, nullptr},
};

}  // namespace exchange

std::span<const OpRow> exchange_rows() { return exchange::kRows; }

}  // namespace lockstep::graph::ops
