// expert_linear: one linear layer an expert, on the tokens that came to it; the weights are stacked along `expert`
// (Lepikhin et al. 2020).
#include "reference_trainer/graph/ops/gradient_helpers.h"
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"
#include "reference_trainer/graph/ops/weight_init.h"

namespace lockstep::graph::ops {
namespace expert_linear {

enum : int8_t { kBatch, kExpert, kCapacity, kOut, kIn };
const std::vector<int8_t> kX = {kBatch, kExpert, kCapacity, kIn}, kY = {kBatch, kExpert, kCapacity, kOut};
const std::vector<int8_t> kW = {kExpert, kOut, kIn}, kB = {kExpert, kOut};

OpLoops nest(const Shape& places, const Shape& w) {
  OpLoops result{loops_over({places[0], places[1], places[2], w[1], w[2]}), {}};
  result.loops[kOut].place = Loop::out;
  result.loops[kIn].place = Loop::in;
  return result;
}

OpLoops forward_loops(const Graph& graph, const Op& op) {
  OpLoops result = nest(graph.tensor(op.in[0]).shape, graph.tensor(op.in[1]).shape);
  result.operands = {kX, kW};
  if (op.attr.has_bias) add_bias(result, kB);
  result.operands.push_back(kY);
  return result;
}

OpLoops input_loops(const Graph& graph, const Op& op) {
  OpLoops result = nest(graph.tensor(op.in[0]).shape, graph.tensor(op.in[1]).shape);
  result.operands = {kY, kW, kX};
  return result;
}

OpLoops weight_loops(const Graph& graph, const Op& op) {
  OpLoops result = nest(graph.tensor(op.in[0]).shape, graph.tensor(op.out[0]).shape);
  result.operands = {kX, kY, kW};
  if (op.attr.has_bias) add_bias(result, kB);
  return result;
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const Shape in = builder.shape(x);
  if (in.size() != 4 || in[1].dim != Dim::expert || in[2].dim != Dim::capacity) {
    builder.refuse(spec, "its input must be [batch, expert, capacity, a dim], it is " + describe(in));
  }
  if (spec.out.size() != 1) builder.refuse(spec, "it needs \"out\" with the one dim that it makes");
  Op op{OpKind::expert_linear, spec.name, {x}, {}, {}};
  op.in.push_back(builder.parameter(spec.name + ".weight", {in[1], spec.out[0], in[3]}, weight_init(spec, in[3].size)));
  op.attr.has_bias = spec.flag("bias", true);
  if (op.attr.has_bias) op.in.push_back(builder.parameter(spec.name + ".bias", {in[1], spec.out[0]}, {"zeros", 0}));
  op.out = {builder.activation(spec.name, {in[0], in[1], in[2], spec.out[0]})};
  builder.add(op);
  builder.finish(spec, op.out[0]);
}

constexpr OpRow kRows[] = {
    {OpKind::expert_linear, forward_loops, flops_of_contraction, build,
     differentiate_product<OpKind::expert_linear_grad_weight, OpKind::expert_linear_grad_input>, "out bias init",
     flops_of_contraction},
    {OpKind::expert_linear_grad_input, input_loops, flops_of_contraction, nullptr, nullptr},
    {OpKind::expert_linear_grad_weight, weight_loops, flops_of_contraction, nullptr, nullptr},
};

}  // namespace expert_linear

std::span<const OpRow> expert_linear_rows() { return expert_linear::kRows; }

}  // namespace lockstep::graph::ops
