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

template <int64_t per_input>
int64_t flops(const Graph& graph, const Op& op, int64_t batch) {
  return per_input * elements(graph.tensor(op.in[0]), batch);
}

constexpr OpRow kRows[] = {
    {OpKind::cross_entropy_max, loops, flops<1>, nullptr, nullptr},
    {OpKind::cross_entropy_sums, loops, flops<3>, nullptr, nullptr},
    {OpKind::cross_entropy_total, loops, flops<4>, nullptr, nullptr},
};

}  // namespace split_loss

std::span<const OpRow> split_loss_rows() { return split_loss::kRows; }

}  // namespace lockstep::graph::ops
