// linear: y = x w^T + b, contracting all dims of x after batch and seq with the trailing dims of w.
#include <algorithm>

#include "reference_trainer/graph/ops/gradient_helpers.h"
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"
#include "reference_trainer/graph/ops/weight_init.h"

namespace lockstep::graph::ops {
namespace linear {

/// The shapes of y, x and w share three groups of axes: lead (batch, seq), out and contracted.
struct Groups {
  Shape lead, out, contracted;
};

Groups groups_of(const Shape& y, const Shape& x, const Shape& w) {
  const size_t out = (w.size() + y.size() - x.size()) / 2;
  const auto split = static_cast<std::ptrdiff_t>(out);
  return {Shape(y.begin(), y.end() - split), Shape(w.begin(), w.begin() + split), Shape(w.begin() + split, w.end())};
}

OpLoops loops_of_groups(const Groups& g) {
  OpLoops result;
  const auto add = [&](const Shape& group, Loop::Place place) {
    for (Loop loop : loops_over(group)) {
      loop.place = place;
      result.loops.push_back(loop);
    }
  };
  add(g.lead, Loop::plain);
  add(g.out, Loop::out);
  add(g.contracted, Loop::in);
  return result;
}

std::vector<int8_t> joined(std::vector<int8_t> a, const std::vector<int8_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Loop indices of y, x, w and b over the nest of loops_of_groups.
struct Indices {
  std::vector<int8_t> y, x, w, b;
};

Indices indices_of(const Groups& g) {
  const int out = static_cast<int>(g.lead.size()), contracted = out + static_cast<int>(g.out.size());
  const auto lead_axes = axes_from(0, g.lead.size());
  const auto out_axes = axes_from(out, g.out.size()), contracted_axes = axes_from(contracted, g.contracted.size());
  return {joined(lead_axes, out_axes), joined(lead_axes, contracted_axes), joined(out_axes, contracted_axes), out_axes};
}

OpLoops forward_loops(const Graph& graph, const Op& op) {
  const Groups g = groups_of(graph.tensor(op.out[0]).shape, graph.tensor(op.in[0]).shape, graph.tensor(op.in[1]).shape);
  OpLoops result = loops_of_groups(g);
  const Indices i = indices_of(g);
  result.operands = {i.x, i.w};
  if (op.attr.has_bias) add_bias(result, i.b);
  result.operands.push_back(i.y);
  return result;
}

OpLoops input_loops(const Graph& graph, const Op& op) {
  const Groups g = groups_of(graph.tensor(op.in[0]).shape, graph.tensor(op.out[0]).shape, graph.tensor(op.in[1]).shape);
  OpLoops result = loops_of_groups(g);
  const Indices i = indices_of(g);
  result.operands = {i.y, i.w, i.x};
  return result;
}

OpLoops weight_loops(const Graph& graph, const Op& op) {
  const Groups g = groups_of(graph.tensor(op.in[1]).shape, graph.tensor(op.in[0]).shape, graph.tensor(op.out[0]).shape);
  OpLoops result = loops_of_groups(g);
  const Indices i = indices_of(g);
  result.operands = {i.x, i.y, i.w};
  if (op.attr.has_bias) add_bias(result, i.b);
  return result;
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const Shape in = builder.shape(x);
  if (spec.out.empty()) builder.refuse(spec, "a linear op needs \"out\": the dims it makes");
  size_t lead = 0;
  while (lead < in.size() && (in[lead].dim == Dim::batch || in[lead].dim == Dim::seq)) ++lead;
  const Shape contracted(in.begin() + static_cast<std::ptrdiff_t>(lead), in.end());
  if (contracted.empty()) builder.refuse(spec, "its input " + describe(in) + " has nothing to contract");

  Shape weight = spec.out, y(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(lead));
  weight.insert(weight.end(), contracted.begin(), contracted.end());
  y.insert(y.end(), spec.out.begin(), spec.out.end());
  const auto tie = spec.texts.find("weight");
  const int64_t fan_in = elements(contracted, 1);

  Op op{OpKind::linear, spec.name, {x}, {}, {}};
  if (tie != spec.texts.end()) {
    const TensorId shared = builder.tied(spec, tie->second);
    if (!std::ranges::equal(builder.shape(shared), weight, {}, &Extent::size, &Extent::size)) {
      builder.refuse(spec, "its weight " + tie->second + " has shape " + describe(builder.shape(shared)) +
                               ", wanted is " + describe(weight));
    }
    op.in.push_back(shared);
  } else {
    op.in.push_back(builder.parameter(spec.name + ".weight", weight, weight_init(spec, fan_in)));
  }
  op.attr.has_bias = spec.flag("bias", tie == spec.texts.end());
  if (op.attr.has_bias) op.in.push_back(builder.parameter(spec.name + ".bias", spec.out, {"zeros", 0}));
  op.out = {builder.activation(spec.name, y)};
  builder.add(op);
  builder.finish(spec, op.out[0]);
}

constexpr OpRow kRows[] = {
    {OpKind::linear, forward_loops, flops_of_contraction, build,
     differentiate_product<OpKind::linear_grad_weight, OpKind::linear_grad_input>, "out weight bias init",
     flops_of_contraction},
    {OpKind::linear_grad_input, input_loops, flops_of_contraction, nullptr, nullptr},
    {OpKind::linear_grad_weight, weight_loops, flops_of_contraction, nullptr, nullptr},
};

}  // namespace linear

std::span<const OpRow> linear_rows() { return linear::kRows; }

}  // namespace lockstep::graph::ops
