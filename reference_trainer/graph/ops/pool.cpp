// max_pool and avg_pool over windows of NCHW planes.
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"
#include "reference_trainer/graph/ops/window.h"

namespace lockstep::graph::ops {
namespace pool {

/// All operands are [batch, channels, height, width]; `y` is the one with the smaller plane.
OpLoops nest(const Shape& y, size_t operands, size_t wide) {
  OpLoops result{loops_over(y), {}};
  result.loops[2].kind = result.loops[3].kind = Loop::window;
  result.operands.assign(operands, axes_from(0, 4));
  result.wide = static_cast<int8_t>(wide);
  return result;
}

OpLoops forward_loops(const Graph& graph, const Op& op) {
  return nest(graph.tensor(op.out[0]).shape, op.in.size() + op.out.size(), 0);
}

OpLoops gradient_loops(const Graph& graph, const Op& op) {
  return nest(graph.tensor(op.in[0]).shape, op.in.size() + op.out.size(), op.in.size());
}

/// One comparison or addition a window element.
int64_t flops_forward(const Graph& graph, const Op& op, int64_t batch) {
  return op.attr.kernel_h * op.attr.kernel_w * elements(graph.tensor(op.out[0]), batch);
}

int64_t flops_avg_gradient(const Graph& graph, const Op& op, int64_t batch) {
  return op.attr.kernel_h * op.attr.kernel_w * elements(graph.tensor(op.in[0]), batch);
}

template <OpKind kind>
void build(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const Shape in = builder.shape(x);
  Op op{kind, spec.name, {x}, {}, window_of(builder, spec, true)};
  const Shape out = windowed(builder, spec, op.attr, in, in.size() == 4 ? in[1] : Extent{});
  if (op.attr.pad_top >= op.attr.kernel_h || op.attr.pad_left >= op.attr.kernel_w ||
      op.attr.pad_bottom >= op.attr.kernel_h || op.attr.pad_right >= op.attr.kernel_w) {
    builder.refuse(spec, "its padding must be smaller than its window, else a window would hold nothing");
  }
  op.out = {builder.activation(spec.name, out)};
  if (kind == OpKind::max_pool) op.out.push_back(builder.activation(spec.name + ".argmax", out, Type::index));
  builder.add(op);
  builder.finish(spec, op.out[0]);
}

template <OpKind kind>
void differentiate(Gradients& gradients, const Op& op) {
  if (!gradients.wanted(op.in[0])) return;
  const TensorId dx = gradients.make(op.in[0]);
  Op gradient{kind, op.name + ".grad", {gradients.of(op.out[0])}, {dx}, op.attr};
  if (kind == OpKind::max_pool_grad) gradient.in.push_back(op.out[1]);
  gradients.add(gradient);
  gradients.contribute(op.in[0], dx);
}

constexpr OpRow kRows[] = {
    {OpKind::max_pool, forward_loops, flops_forward, build<OpKind::max_pool>, differentiate<OpKind::max_pool_grad>,
     "kernel stride pad"},
    {OpKind::max_pool_grad, gradient_loops, flops_per_input<1>, nullptr, nullptr},
    {OpKind::avg_pool, forward_loops, flops_forward, build<OpKind::avg_pool>, differentiate<OpKind::avg_pool_grad>,
     "kernel stride pad"},
    {OpKind::avg_pool_grad, gradient_loops, flops_avg_gradient, nullptr, nullptr},
};

}  // namespace pool

std::span<const OpRow> pool_rows() { return pool::kRows; }

}  // namespace lockstep::graph::ops
