// patches and class_token: how an image becomes a sequence (Dosovitskiy et al. 2021): squares of pixels in rows, and
// before them a learned vector whose place the classifier reads.
#include <fmt/format.h>

#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace patches {

/// Only the batch loop keeps its meaning when pixels are dealt out.
OpLoops patch_loops(const Graph& graph, const Op& op) {
  OpLoops result{{{Dim::batch, 0, Loop::map}}, {}};
  for (TensorId id : {op.in[0], op.out[0]}) {
    result.operands.emplace_back(graph.tensor(id).shape.size(), int8_t{-1});
    result.operands.back()[0] = 0;
  }
  return result;
}

int64_t copies_only(const Graph&, const Op&, int64_t) { return 0; }

void build_patches(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const Shape in = builder.shape(x);
  const int64_t side = static_cast<int64_t>(spec.number("size", 0));
  if (in.size() != 4) builder.refuse(spec, "its input must be [batch, channels, height, width], it is " + describe(in));
  if (side < 1 || in[2].size % side != 0 || in[3].size % side != 0) {
    builder.refuse(spec,
                   fmt::format("squares of \"size\" {} do not fill a plane of {} x {}", side, in[2].size, in[3].size));
  }
  Op op{OpKind::patches, spec.name, {x}, {}, {}};
  op.attr.kernel_h = op.attr.kernel_w = side;
  op.out = {builder.activation(
      spec.name,
      {in[0], {Dim::seq, in[2].size / side * (in[3].size / side)}, {Dim::hidden, in[1].size * side * side}})};
  builder.add(op);
  builder.finish(spec, op.out[0]);
}

void differentiate_patches(Gradients& gradients, const Op& op) {
  if (!gradients.wanted(op.in[0])) return;
  const TensorId dx = gradients.make(op.in[0]);
  gradients.add({OpKind::patches_grad, op.name + ".grad", {gradients.of(op.out[0])}, {dx}, op.attr});
  gradients.contribute(op.in[0], dx);
}

/// The sequence is one longer behind the op than before it: no loop of its own.
OpLoops token_loops(const Graph& graph, const Op& op) {
  const Shape& y = graph.tensor(op.kind == OpKind::class_token ? op.out[0] : op.in[0]).shape;
  OpLoops result{{{y[0].dim, 0, Loop::map}, {y[2].dim, y[2].size, Loop::map}}, {}};
  const std::vector<int8_t> rows = {0, -1, 1}, token = {1};
  if (op.kind == OpKind::class_token) {
    result.operands = {rows, token, rows};
  } else {
    result.operands = {rows, token};
  }
  return result;
}

int64_t flops_token_gradient(const Graph& graph, const Op& op, int64_t batch) {
  return batch * elements(graph.tensor(op.out[0]), batch);
}

void build_token(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  Shape shape = builder.shape(x);
  if (shape.size() != 3 || shape[1].dim != Dim::seq) {
    builder.refuse(spec, "its input must be [batch, seq, hidden], it is " + describe(shape));
  }
  ++shape[1].size;
  const TensorId token = builder.parameter(spec.name + ".token", {shape[2]}, spec.init.value_or(Init{"zeros", 0}));
  const TensorId y = builder.activation(spec.name, shape);
  builder.add({OpKind::class_token, spec.name, {x, token}, {y}, {}});
  builder.finish(spec, y);
}

void differentiate_token(Gradients& gradients, const Op& op) {
  const TensorId dy = gradients.of(op.out[0]), dtoken = gradients.make(op.in[1]);
  gradients.add({OpKind::class_token_grad, op.name + ".grad", {dy}, {dtoken}, {}});
  gradients.contribute(op.in[1], dtoken);
  if (!gradients.wanted(op.in[0])) return;
  const TensorId dx = gradients.make(op.in[0]);
  Op rest{OpKind::narrow, op.name + ".grad_input", {dy}, {dx}, {}};
  rest.attr.axis = 1, rest.attr.begin = 1;
  gradients.add(rest);
  gradients.contribute(op.in[0], dx);
}

constexpr OpRow kRows[] = {
    {OpKind::patches, patch_loops, copies_only, build_patches, differentiate_patches, "size"},
    {OpKind::patches_grad, patch_loops, copies_only, nullptr, nullptr},
    {OpKind::class_token, token_loops, copies_only, build_token, differentiate_token, "init"},
    {OpKind::class_token_grad, token_loops, flops_token_gradient, nullptr, nullptr},
};

}  // namespace patches

std::span<const OpRow> patches_rows() { return patches::kRows; }

}  // namespace lockstep::graph::ops
