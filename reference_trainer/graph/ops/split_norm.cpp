// batch_norm_sums, _total, batch_norm_grad_sums, _total: batch norm whose groups of samples, or whose planes, lie on
// several ranks. Between the two of a pair the sums of all ranks are added up, 3 numbers a group and channel
// (synchronised batch norm; the plain ops are in batch_norm.cpp).
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace split_norm {

/// Lowering alone makes these, after it has chosen how loops are split: operands as wide as x are indexed alike.
OpLoops loops(const Graph& graph, const Op& op) {
  const size_t axes = graph.tensor(op.in[0]).shape.size();
  OpLoops result{loops_over(graph.tensor(op.in[0]).shape, Loop::whole), {}};
  for (const auto* ids : {&op.in, &op.out}) {
    for (TensorId id : *ids) {
      const Shape& shape = graph.tensor(id).shape;
      result.operands.push_back(shape.size() == axes ? axes_from(0, axes) : std::vector<int8_t>(shape.size(), -1));
    }
  }
  return result;
}

constexpr OpRow kRows[] = {
    {OpKind::batch_norm_sums, loops, flops_per_input<4>, nullptr, nullptr},
    {OpKind::batch_norm_total, loops, flops_per_input<4>, nullptr, nullptr},
    {OpKind::batch_norm_grad_sums, loops, flops_per_input<5>, nullptr, nullptr},
    {OpKind::batch_norm_grad_total, loops, flops_per_input<6>, nullptr, nullptr},
};

}  // namespace split_norm

std::span<const OpRow> split_norm_rows() { return split_norm::kRows; }

}  // namespace lockstep::graph::ops
