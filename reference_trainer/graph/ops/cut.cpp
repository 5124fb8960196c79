// narrow, pad and join: a part of an axis, an axis with zeros before and behind, two tensors one after the other. The
// gradient of narrow is pad, that of pad and join is narrow.
#include <fmt/format.h>

#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace cut {

/// A loop an axis but the one that is cut, of which each operand has another part.
OpLoops loops(const Graph& graph, const Op& op) {
  OpLoops result{loops_over(graph.tensor(op.out[0]).shape), {}};
  auto axes = axes_from(0, result.loops.size());
  const auto cut = static_cast<size_t>(op.attr.axis);
  result.loops.erase(result.loops.begin() + op.attr.axis);
  for (size_t i = cut; i < axes.size(); ++i) axes[i] = static_cast<int8_t>(i == cut ? -1 : axes[i] - 1);
  result.operands.assign(op.in.size() + op.out.size(), axes);
  return result;
}

int64_t copies_only(const Graph&, const Op&, int64_t) { return 0; }

/// The axis that the entry's "axis" names, by its dim; never the batch.
int32_t axis_of(const Builder& builder, const OpSpec& spec, const Shape& shape) {
  const auto text = spec.texts.find("axis");
  if (text == spec.texts.end()) builder.refuse(spec, "it needs \"axis\", a dim of " + describe(shape));
  for (size_t i = 1; i < shape.size(); ++i) {
    if (name(shape[i].dim) == text->second) return static_cast<int32_t>(i);
  }
  builder.refuse(spec, "its input " + describe(shape) + " has no axis \"" + text->second + "\" that it could cut");
}

template <OpKind kind>
void build(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  Shape shape = builder.shape(x);
  Op op{kind, spec.name, {x}, {}, {}};
  op.attr.axis = axis_of(builder, spec, shape);
  op.attr.begin = static_cast<int64_t>(spec.number("begin", 0));
  Extent& axis = shape[static_cast<size_t>(op.attr.axis)];
  const int64_t before = axis.size, after = static_cast<int64_t>(spec.number("size", 0));
  const int64_t inner = kind == OpKind::narrow ? after : before, outer = kind == OpKind::narrow ? before : after;
  if (inner < 1 || op.attr.begin < 0 || op.attr.begin + inner > outer) {
    builder.refuse(spec, fmt::format("positions {} to {} do not lie within {} of {}", op.attr.begin,
                                     op.attr.begin + inner, outer, name(axis.dim)));
  }
  axis.size = after;
  op.out = {builder.activation(spec.name, shape)};
  builder.add(op);
  builder.finish(spec, op.out[0]);
}

void build_join(Builder& builder, const OpSpec& spec) {
  TensorId joined = builder.named(spec, 0);
  if (spec.in.size() < 2) builder.refuse(spec, "it needs at least 2 inputs");
  Op op{OpKind::join, spec.name, {}, {}, {}};
  op.attr.axis = axis_of(builder, spec, builder.shape(joined));
  const auto axis = static_cast<size_t>(op.attr.axis);
  for (size_t i = 1; i < spec.in.size(); ++i) {
    const TensorId next = builder.named(spec, i);
    Shape shape = builder.shape(joined);
    const Shape other = builder.shape(next);
    Shape alike = other;
    if (other.size() == shape.size()) alike[axis] = shape[axis];
    if (alike != shape || other[axis].dim != shape[axis].dim) {
      builder.refuse(
          spec, "joins " + describe(shape) + " and " + describe(other) + ": all axes but the one joined must be equal");
    }
    shape[axis].size += other[axis].size;
    const bool last = i + 1 == spec.in.size();
    op.name = last ? spec.name : spec.name + "." + std::to_string(i);
    op.in = {joined, next};
    op.out = {joined = builder.activation(op.name, shape)};
    builder.add(op);
  }
  builder.finish(spec, joined);
}

/// The gradient of `operand`, which lies at `begin` of the result's, or which the result's lies in.
void contribute(Gradients& gradients, const Op& op, OpKind kind, TensorId operand, int64_t begin, const char* suffix) {
  if (!gradients.wanted(operand)) return;
  const TensorId dx = gradients.make(operand);
  Op gradient{kind, op.name + suffix, {gradients.of(op.out[0])}, {dx}, op.attr};
  gradient.attr.begin = begin;
  gradients.add(gradient);
  gradients.contribute(operand, dx);
}

template <OpKind kind>
void differentiate(Gradients& gradients, const Op& op) {
  contribute(gradients, op, kind, op.in[0], op.attr.begin, ".grad");
}

void differentiate_join(Gradients& gradients, const Op& op) {
  contribute(gradients, op, OpKind::narrow, op.in[0], 0, ".grad_first");
  const Shape& first = gradients.graph().tensor(op.in[0]).shape;
  const int64_t begin = first[static_cast<size_t>(op.attr.axis)].size;
  contribute(gradients, op, OpKind::narrow, op.in[1], begin, ".grad_second");
}

constexpr OpRow kRows[] = {
    {OpKind::narrow, loops, copies_only, build<OpKind::narrow>, differentiate<OpKind::pad>, "axis begin size"},
    {OpKind::pad, loops, copies_only, build<OpKind::pad>, differentiate<OpKind::narrow>, "axis begin size"},
    {OpKind::join, loops, copies_only, build_join, differentiate_join, "axis"},
};

}  // namespace cut

std::span<const OpRow> cut_rows() { return cut::kRows; }

}  // namespace lockstep::graph::ops
