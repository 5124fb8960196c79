// pairwise_dot: the products of all pairs of a sample's vectors (Naumov et al. 2019, the interaction of features): pair
// (i, j), j < i, is number i (i - 1) / 2 + j.
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace pairwise_dot {

/// Each pair reads two vectors: their axis has no loop.
OpLoops loops(const Graph& graph, const Op& op) {
  OpLoops result{{{Dim::batch, 0, Loop::map}}, {}};
  for (const auto* ids : {&op.in, &op.out}) {
    for (TensorId id : *ids) {
      result.operands.emplace_back(graph.tensor(id).shape.size(), int8_t{-1});
      result.operands.back()[0] = 0;
    }
  }
  return result;
}

/// `each` multiply-adds of two operations for each number of each pair.
template <int64_t each>
int64_t flops(const Graph& graph, const Op& op, int64_t batch) {
  const Tensor& pairs = graph.tensor(op.kind == OpKind::pairwise_dot ? op.out[0] : op.in[1]);
  return 2 * each * elements(pairs, batch) * graph.tensor(op.in[0]).shape[2].size;
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const Shape in = builder.shape(x);
  if (in.size() != 3 || in[1].size < 2) {
    builder.refuse(spec, "its input must be [batch, at least 2 vectors, a dim], it is " + describe(in));
  }
  const TensorId y = builder.activation(spec.name, {in[0], {in[2].dim, in[1].size * (in[1].size - 1) / 2}});
  builder.add({OpKind::pairwise_dot, spec.name, {x}, {y}, {}});
  builder.finish(spec, y);
}

void differentiate(Gradients& gradients, const Op& op) {
  if (!gradients.wanted(op.in[0])) return;
  const TensorId dx = gradients.make(op.in[0]);
  gradients.add({OpKind::pairwise_dot_grad, op.name + ".grad", {op.in[0], gradients.of(op.out[0])}, {dx}, {}});
  gradients.contribute(op.in[0], dx);
}

constexpr OpRow kRows[] = {
    {OpKind::pairwise_dot, loops, flops<1>, build, differentiate, "", flops<1>},
    {OpKind::pairwise_dot_grad, loops, flops<2>, nullptr, nullptr},
};

}  // namespace pairwise_dot

std::span<const OpRow> pairwise_dot_rows() { return pairwise_dot::kRows; }

}  // namespace lockstep::graph::ops
