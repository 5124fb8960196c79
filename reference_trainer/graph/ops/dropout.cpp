// dropout: seeded per (op, sample, step), so the mask never depends on which rank holds the sample (Srivastava et al.
// 2014).
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace dropout {

OpLoops loops(const Graph& graph, const Op& op) {
  OpLoops result = alike(graph, op);
  result.operands[1] = {0};
  return result;
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const double rate = spec.number("rate", 0);
  if (!(rate >= 0 && rate < 1)) builder.refuse(spec, "\"rate\" must be in [0, 1)");
  if (rate == 0) return builder.finish(spec, x);
  TensorId ids = builder.graph.find("sample_ids");
  if (ids == kNoTensor) ids = builder.input("sample_ids", {{Dim::batch, 0}}, Type::index);
  Op op{OpKind::dropout, spec.name, {x, ids}, {builder.activation(spec.name, builder.shape(x))}, {}};
  op.attr.rate = rate;
  builder.add(op);
  builder.finish(spec, op.out[0]);
}

/// The gradient op keeps the forward op's name in front: the mask is drawn from the name up to ".grad".
void differentiate(Gradients& gradients, const Op& op) {
  if (!gradients.wanted(op.in[0])) return;
  const TensorId dx = gradients.make(op.in[0]);
  gradients.add({OpKind::dropout_grad, op.name + ".grad", {gradients.of(op.out[0]), op.in[1]}, {dx}, op.attr});
  gradients.contribute(op.in[0], dx);
}

constexpr OpRow kRows[] = {
    {OpKind::dropout, loops, flops_per_output<2>, build, differentiate, "rate"},
    {OpKind::dropout_grad, loops, flops_per_output<2>, nullptr, nullptr},
};

}  // namespace dropout

std::span<const OpRow> dropout_rows() { return dropout::kRows; }

}  // namespace lockstep::graph::ops
