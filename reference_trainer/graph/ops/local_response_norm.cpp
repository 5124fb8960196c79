// local_response_norm: of each channel over its neighbours (Krizhevsky, Sutskever, Hinton 2012).
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace local_response_norm {

OpLoops loops(const Graph& graph, const Op& op) {
  OpLoops result = alike(graph, op);
  result.loops[1].kind = Loop::whole;  // a channel needs its neighbours
  return result;
}

/// A multiply-add a neighbour, then the power and the product; in the gradient the sum and the product once more.
template <int64_t per_neighbour, int64_t per_element>
int64_t flops(const Graph& graph, const Op& op, int64_t batch) {
  return (per_neighbour * op.attr.window + per_element) * elements(graph.tensor(op.out[0]), batch);
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const Shape in = builder.shape(x);
  if (in.size() != 4) builder.refuse(spec, "its input must be [batch, channels, height, width], it is " + describe(in));
  Op op{OpKind::local_response_norm, spec.name, {x}, {}, {}};
  op.attr.window = static_cast<int64_t>(spec.number("size", 5));
  op.attr.alpha = spec.number("alpha", 1e-4);
  op.attr.exponent = spec.number("exponent", 0.75);
  op.attr.offset = spec.number("offset", 2);
  if (op.attr.window < 1 || op.attr.window % 2 == 0) builder.refuse(spec, "\"size\" must be an odd number of channels");
  if (!(op.attr.offset > 0) || op.attr.alpha < 0)
    builder.refuse(spec, "\"offset\" must be above 0, \"alpha\" not below");
  op.out = {builder.activation(spec.name, in), builder.activation(spec.name + ".scale", in)};
  builder.add(op);
  builder.finish(spec, op.out[0]);
}

void differentiate(Gradients& gradients, const Op& op) {
  if (!gradients.wanted(op.in[0])) return;
  const TensorId dx = gradients.make(op.in[0]);
  gradients.add({OpKind::local_response_norm_grad,
                 op.name + ".grad",
                 {op.in[0], gradients.of(op.out[0]), op.out[1]},
                 {dx},
                 op.attr});
  gradients.contribute(op.in[0], dx);
}

constexpr OpRow kRows[] = {
    {OpKind::local_response_norm, loops, flops<2, 3>, build, differentiate, "size alpha exponent offset"},
    {OpKind::local_response_norm_grad, loops, flops<2, 8>, nullptr, nullptr},
};

}  // namespace local_response_norm

std::span<const OpRow> local_response_norm_rows() { return local_response_norm::kRows; }

}  // namespace lockstep::graph::ops
