// conv2d: NCHW activations, OIHW weights, any kernel, stride and (asymmetric) padding.
#include "reference_trainer/graph/ops/gradient_helpers.h"
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"
#include "reference_trainer/graph/ops/weight_init.h"
#include "reference_trainer/graph/ops/window.h"

namespace lockstep::graph::ops {
namespace conv2d {

enum : int8_t { kBatch, kOut, kHeight, kWidth, kIn, kKernelH, kKernelW };
const std::vector<int8_t> kX = {kBatch, kIn, kHeight, kWidth}, kY = {kBatch, kOut, kHeight, kWidth};
const std::vector<int8_t> kW = {kOut, kIn, kKernelH, kKernelW}, kB = {kOut};

OpLoops nest(const Shape& y, const Shape& w) {
  return {{{Dim::batch, 0, Loop::map},
           {Dim::chan_out, w[0].size, Loop::map, Loop::out},
           {Dim::height, y[2].size, Loop::window},
           {Dim::width, y[3].size, Loop::window},
           {Dim::chan_in, w[1].size, Loop::map, Loop::in},
           {Dim::height, w[2].size, Loop::whole, Loop::in},
           {Dim::width, w[3].size, Loop::whole, Loop::in}},
          {}};
}

OpLoops forward_loops(const Graph& graph, const Op& op) {
  OpLoops result = nest(graph.tensor(op.out[0]).shape, graph.tensor(op.in[1]).shape);
  result.wide = 0;
  result.operands = {kX, kW};
  if (op.attr.has_bias) add_bias(result, kB);
  result.operands.push_back(kY);
  return result;
}

OpLoops input_loops(const Graph& graph, const Op& op) {
  OpLoops result = nest(graph.tensor(op.in[0]).shape, graph.tensor(op.in[1]).shape);
  result.wide = 2;
  result.operands = {kY, kW, kX};
  return result;
}

OpLoops weight_loops(const Graph& graph, const Op& op) {
  OpLoops result = nest(graph.tensor(op.in[1]).shape, graph.tensor(op.out[0]).shape);
  result.wide = 0;
  result.operands = {kX, kY, kW};
  if (op.attr.has_bias) add_bias(result, kB);
  return result;
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const Shape in = builder.shape(x);
  if (spec.out.size() != 1 || spec.out[0].dim != Dim::chan_out) {
    builder.refuse(spec, "a conv2d op needs \"out\": {\"chan_out\": channels}");
  }
  Op op{OpKind::conv2d, spec.name, {x}, {}, window_of(builder, spec, false)};
  const Shape out = windowed(builder, spec, op.attr, in, spec.out[0]);
  const Shape weight = {
      spec.out[0], {Dim::chan_in, in[1].size}, {Dim::height, op.attr.kernel_h}, {Dim::width, op.attr.kernel_w}};
  const int64_t fan_in = in[1].size * op.attr.kernel_h * op.attr.kernel_w;
  op.in.push_back(builder.parameter(spec.name + ".weight", weight, weight_init(spec, fan_in)));
  op.attr.has_bias = spec.flag("bias", true);
  if (op.attr.has_bias) op.in.push_back(builder.parameter(spec.name + ".bias", spec.out, {"zeros", 0}));
  op.out = {builder.activation(spec.name, out)};
  builder.add(op);
  builder.finish(spec, op.out[0]);
}

constexpr OpRow kRows[] = {
    {OpKind::conv2d, forward_loops, flops_of_contraction, build,
     differentiate_product<OpKind::conv2d_grad_weight, OpKind::conv2d_grad_input>, "out kernel stride pad bias init",
     flops_of_contraction},
    {OpKind::conv2d_grad_input, input_loops, flops_of_contraction, nullptr, nullptr},
    {OpKind::conv2d_grad_weight, weight_loops, flops_of_contraction, nullptr, nullptr},
};

}  // namespace conv2d

std::span<const OpRow> conv2d_rows() { return conv2d::kRows; }

}  // namespace lockstep::graph::ops
