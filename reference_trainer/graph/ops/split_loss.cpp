// cross_entropy_max, _sums, _total: softmax_cross_entropy over logits whose classes are split over ranks. Between the
// three the maxima and the sums of all ranks are taken, 4 numbers a position; the logits stay where they are (Shoeybi
// et al. 2019).
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace split_loss {

OpLoops loops(const Graph& graph, const Op& op) {
  OpLoops result{loops_over(graph.tensor(op.in[0]).shape), {}};
  for (const auto* ids : {&op.in, &op.out}) {
    for (TensorId id : *ids) {
      const Shape& shape = graph.tensor(id).shape;
      result.operands.push_back(axes_from(0, std::min(shape.size(), result.loops.size())));
      result.operands.back().resize(shape.size(), -1);
    }
  }
  return result;
}

constexpr OpRow kRows[] = {
    {OpKind::cross_entropy_max, loops, flops_per_input<1>, nullptr, nullptr},
    {OpKind::cross_entropy_sums, loops, flops_per_input<3>, nullptr, nullptr},
    {OpKind::cross_entropy_total, loops, flops_per_input<4>, nullptr, nullptr},
};

}  // namespace split_loss

std::span<const OpRow> split_loss_rows() { return split_loss::kRows; }

}  // namespace lockstep::graph::ops
