// embedding: rows of a table by id; positions: a learned vector a position of the sequence, added.
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace embedding {

/// Loops: those of the ids, then vocab, then hidden. A rank with a part of the table takes ids outside it for zero
/// rows, so that ranks add up.
OpLoops nest(const Shape& ids, const Shape& table) {
  OpLoops result{loops_over(ids), {}};
  result.loops.push_back({table[0].dim, table[0].size, Loop::map});
  result.loops.push_back({table[1].dim, table[1].size, Loop::map});
  return result;
}

std::vector<int8_t> with(std::vector<int8_t> axes, size_t last) {
  axes.push_back(static_cast<int8_t>(last));
  return axes;
}

OpLoops embedding_loops(const Graph& graph, const Op& op) {
  const Shape& ids = graph.tensor(op.in[0]).shape;
  OpLoops result = nest(ids, graph.tensor(op.in[1]).shape);
  const size_t vocab = ids.size(), hidden = vocab + 1;
  const auto rows = axes_from(0, ids.size());
  result.operands = {rows, axes_from(static_cast<int>(vocab), 2), with(rows, hidden)};
  return result;
}

OpLoops embedding_gradient_loops(const Graph& graph, const Op& op) {
  const Shape& ids = graph.tensor(op.in[0]).shape;
  OpLoops result = nest(ids, graph.tensor(op.out[0]).shape);
  const size_t vocab = ids.size(), hidden = vocab + 1;
  const auto rows = axes_from(0, ids.size());
  result.operands = {rows, with(rows, hidden), axes_from(static_cast<int>(vocab), 2)};
  return result;
}

int64_t copies_only(const Graph&, const Op&, int64_t) { return 0; }

int64_t flops_embedding_gradient(const Graph& graph, const Op& op, int64_t batch) {
  return elements(graph.tensor(op.in[1]), batch);
}

void build_embedding(Builder& builder, const OpSpec& spec) {
  const TensorId ids = builder.named(spec, 0);
  const int64_t vocab = static_cast<int64_t>(spec.number("vocab", 0));
  if (builder.graph.tensor(ids).type != Type::index) builder.refuse(spec, "its input must be an index tensor");
  if (vocab < 1 || spec.out.size() != 1)
    builder.refuse(spec, "an embedding needs \"vocab\" (at least 1) and \"out\" with one dim");
  const TensorId table = builder.parameter(spec.name + ".table", {{Dim::vocab, vocab}, spec.out[0]},
                                           spec.init.value_or(Init{"normal", 0.02}));
  Shape out = builder.shape(ids);
  out.push_back(spec.out[0]);
  const TensorId y = builder.activation(spec.name, out);
  builder.add({OpKind::embedding, spec.name, {ids, table}, {y}, {}});
  builder.finish(spec, y);
}

void differentiate_embedding(Gradients& gradients, const Op& op) {
  const TensorId dtable = gradients.make(op.in[1]);
  gradients.add({OpKind::embedding_grad, op.name + ".grad", {op.in[0], gradients.of(op.out[0])}, {dtable}, {}});
  gradients.contribute(op.in[1], dtable);
}

OpLoops positions_loops(const Graph& graph, const Op& op) {
  OpLoops result{loops_over(graph.tensor(op.out[0]).shape), {}};
  result.operands = {{0, 1, 2}, {1, 2}, {0, 1, 2}};
  return result;
}

OpLoops positions_gradient_loops(const Graph& graph, const Op& op) {
  OpLoops result{loops_over(graph.tensor(op.in[0]).shape), {}};
  result.operands = {{0, 1, 2}, {1, 2}};
  return result;
}

void build_positions(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const Shape in = builder.shape(x);
  if (in.size() != 3 || in[1].dim != Dim::seq)
    builder.refuse(spec, "its input must be [batch, seq, hidden], it is " + describe(in));
  const TensorId table =
      builder.parameter(spec.name + ".table", {in[1], in[2]}, spec.init.value_or(Init{"normal", 0.02}));
  const TensorId y = builder.activation(spec.name, in);
  builder.add({OpKind::positions, spec.name, {x, table}, {y}, {}});
  builder.finish(spec, y);
}

void differentiate_positions(Gradients& gradients, const Op& op) {
  const TensorId dy = gradients.of(op.out[0]), dtable = gradients.make(op.in[1]);
  gradients.add({OpKind::positions_grad, op.name + ".grad", {dy}, {dtable}, {}});
  gradients.contribute(op.in[1], dtable);
  if (gradients.wanted(op.in[0])) gradients.contribute(op.in[0], dy);
}

constexpr OpRow kRows[] = {
    {OpKind::embedding, embedding_loops, copies_only, build_embedding, differentiate_embedding, "vocab out init"},
    {OpKind::embedding_grad, embedding_gradient_loops, flops_embedding_gradient, nullptr, nullptr},
    {OpKind::positions, positions_loops, flops_per_output<1>, build_positions, differentiate_positions, "init"},
    {OpKind::positions_grad, positions_gradient_loops, flops_per_input<1>, nullptr, nullptr},
};

}  // namespace embedding

std::span<const OpRow> embedding_rows() { return embedding::kRows; }

}  // namespace lockstep::graph::ops
