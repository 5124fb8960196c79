// relu, gelu, tanh, add and reshape: ops whose operands are all indexed alike.
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace pointwise {

template <OpKind kind>
void build_unary(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const TensorId y = builder.activation(spec.name, builder.shape(x));
  builder.add({kind, spec.name, {x}, {y}, {}});
  builder.finish(spec, y);
}

/// gelu's gradient reads x, those of relu and tanh read y.
template <OpKind kind, bool reads_input>
void differentiate_unary(Gradients& gradients, const Op& op) {
  if (!gradients.wanted(op.in[0])) return;
  const TensorId dx = gradients.make(op.in[0]);
  gradients.add(
      {kind, op.name + ".grad", {gradients.of(op.out[0]), reads_input ? op.in[0] : op.out[0]}, {dx}, op.attr});
  gradients.contribute(op.in[0], dx);
}

void build_add(Builder& builder, const OpSpec& spec) {
  const TensorId a = builder.named(spec, 0), b = builder.named(spec, 1);
  if (builder.shape(a) != builder.shape(b)) {
    builder.refuse(
        spec, "adds " + describe(builder.shape(a)) + " and " + describe(builder.shape(b)) + ": they must be equal");
  }
  const TensorId y = builder.activation(spec.name, builder.shape(a));
  builder.add({OpKind::add, spec.name, {a, b}, {y}, {}});
  builder.finish(spec, y);
}

void differentiate_add(Gradients& gradients, const Op& op) {
  for (TensorId operand : op.in) {
    if (gradients.wanted(operand)) gradients.contribute(operand, gradients.of(op.out[0]));
  }
}

void build_reshape(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  Shape out = {builder.shape(x)[0]};
  out.insert(out.end(), spec.out.begin(), spec.out.end());
  if (elements(out, 1) != elements(builder.shape(x), 1)) {
    builder.refuse(spec, "turns " + describe(builder.shape(x)) + " into " + describe(out) + ": the counts differ");
  }
  const TensorId y = builder.activation(spec.name, out);
  builder.add({OpKind::reshape, spec.name, {x}, {y}, {}});
  builder.finish(spec, y);
}

void differentiate_reshape(Gradients& gradients, const Op& op) {
  if (!gradients.wanted(op.in[0])) return;
  const TensorId dx = gradients.make(op.in[0]);
  gradients.add({OpKind::reshape, op.name + ".grad", {gradients.of(op.out[0])}, {dx}, {}});
  gradients.contribute(op.in[0], dx);
}

/// Only the batch loop keeps its meaning on both sides of a reshape.
OpLoops reshape_loops(const Graph& graph, const Op& op) {
  OpLoops result{{{Dim::batch, 0, Loop::map}}, {}};
  for (TensorId id : {op.in[0], op.out[0]}) {
    result.operands.emplace_back(graph.tensor(id).shape.size(), int8_t{-1});
    result.operands.back()[0] = 0;
  }
  return result;
}

constexpr OpRow kRows[] = {
    {OpKind::relu, alike, flops_per_output<1>, build_unary<OpKind::relu>,
     differentiate_unary<OpKind::relu_grad, false>},
    {OpKind::relu_grad, alike, flops_per_output<1>, nullptr, nullptr},
    {OpKind::gelu, alike, flops_per_output<9>, build_unary<OpKind::gelu>, differentiate_unary<OpKind::gelu_grad, true>},
    {OpKind::gelu_grad, alike, flops_per_output<18>, nullptr, nullptr},
    {OpKind::tanh, alike, flops_per_output<1>, build_unary<OpKind::tanh>,
     differentiate_unary<OpKind::tanh_grad, false>},
    {OpKind::tanh_grad, alike, flops_per_output<3>, nullptr, nullptr},
    {OpKind::add, alike, flops_per_output<1>, build_add, differentiate_add},
    {OpKind::reshape, reshape_loops, flops_per_output<0>, build_reshape, differentiate_reshape, "out"},
};

}  // namespace pointwise

std::span<const OpRow> pointwise_rows() { return pointwise::kRows; }

}  // namespace lockstep::graph::ops
