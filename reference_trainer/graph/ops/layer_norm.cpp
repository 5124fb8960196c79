// layer_norm: over the last dim, with gamma and beta (Ba, Kiros and Hinton 2016).
#include "reference_trainer/graph/ops/gradient_helpers.h"
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace layer_norm {

OpLoops nest(const Shape& x) {
  OpLoops result{loops_over(x), {}};
  result.loops.back().kind = Loop::whole;
  return result;
}

OpLoops forward_loops(const Graph& graph, const Op& op) {
  const Shape& x = graph.tensor(op.in[0]).shape;
  OpLoops result = nest(x);
  const auto full = axes_from(0, x.size()), rows = axes_from(0, x.size() - 1);
  const std::vector<int8_t> last = {static_cast<int8_t>(x.size() - 1)};
  result.operands = {full, last, last, full, rows, rows};
  return result;
}

OpLoops gradient_loops(const Graph& graph, const Op& op) {
  const Shape& x = graph.tensor(op.in[0]).shape;
  OpLoops result = nest(x);
  const auto full = axes_from(0, x.size()), rows = axes_from(0, x.size() - 1);
  const std::vector<int8_t> last = {static_cast<int8_t>(x.size() - 1)};
  result.operands = {full, full, last, rows, rows, full, last, last};
  return result;
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const Shape in = builder.shape(x);
  if (in.size() < 2) builder.refuse(spec, "its input " + describe(in) + " has no dim to normalize");
  Op op{OpKind::layer_norm, spec.name, {x}, {}, {}};
  op.attr.epsilon = spec.number("epsilon", 1e-5);
  op.in.push_back(builder.parameter(spec.name + ".gamma", {in.back()}, {"ones", 0}));
  op.in.push_back(builder.parameter(spec.name + ".beta", {in.back()}, {"zeros", 0}));
  const Shape rows(in.begin(), in.end() - 1);
  op.out = {builder.activation(spec.name, in), builder.activation(spec.name + ".mean", rows),
            builder.activation(spec.name + ".rstd", rows)};
  builder.add(op);
  builder.finish(spec, op.out[0]);
}

constexpr OpRow kRows[] = {
    {OpKind::layer_norm, forward_loops, flops_per_output<8>, build, differentiate_norm<OpKind::layer_norm_grad>,
     "epsilon"},
    {OpKind::layer_norm_grad, gradient_loops, flops_per_output<11>, nullptr, nullptr},
};

}  // namespace layer_norm

std::span<const OpRow> layer_norm_rows() { return layer_norm::kRows; }

}  // namespace lockstep::graph::ops
