// softmax_cross_entropy: over the last dim of the logits. The loss is summed over this rank's positions and scaled by
// one over the positions of the global batch, so that ranks with ragged shares add up to the mean over the batch. An
// auxiliary loss comes as a third input, a number a sample, and its mean over the batch is added: once, also where the
// positions of a sample are split over ranks.
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace loss {

OpLoops nest(const Shape& logits) {
  OpLoops result{loops_over(logits), {}};
  result.loops.back().kind = Loop::whole;
  return result;
}

/// The next operand is a number a sample: the loops from the second up to `end` do not index it, and it counts once
/// where they are split.
void add_penalty(OpLoops& loops, size_t end) {
  for (size_t i = 1; i < end; ++i) loops.loops[i].place = Loop::in;
  add_bias(loops, {0});
}

OpLoops forward_loops(const Graph& graph, const Op& op) {
  const Shape& logits = graph.tensor(op.in[0]).shape;
  OpLoops result = nest(logits);
  const auto rows = axes_from(0, logits.size() - 1);
  result.operands = {axes_from(0, logits.size()), rows};
  if (op.in.size() > 2) add_penalty(result, rows.size());
  result.operands.insert(result.operands.end(), {{}, {}, rows});
  return result;
}

OpLoops gradient_loops(const Graph& graph, const Op& op) {
  const Shape& logits = graph.tensor(op.in[0]).shape;
  OpLoops result{loops_over(logits), {}};
  const auto full = axes_from(0, logits.size()), rows = axes_from(0, logits.size() - 1);
  result.operands = {full, rows, rows, full};
  if (op.out.size() > 1) add_penalty(result, full.size());
  return result;
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId logits = builder.named(spec, 0), labels = builder.named(spec, 1);
  const Shape in = builder.shape(logits);
  const Shape rows(in.begin(), in.end() - 1);
  if (builder.graph.tensor(labels).type != Type::index || builder.shape(labels) != rows) {
    builder.refuse(
        spec, "its labels must be an index tensor " + describe(rows) + ", they are " + describe(builder.shape(labels)));
  }
  if (builder.graph.loss != kNoTensor) builder.refuse(spec, "a graph has one loss");
  const TensorId loss = builder.metric(spec.name), correct = builder.metric(spec.name + ".correct");
  Op op{OpKind::softmax_cross_entropy,
        spec.name,
        {logits, labels},
        {loss, correct, builder.activation(spec.name + ".lse", rows)},
        {}};
  if (builder.penalty != kNoTensor) op.in.push_back(builder.penalty);
  builder.add(op);
  builder.graph.loss = loss;
  builder.graph.correct = correct;
  builder.graph.positions_per_sample = elements(rows, 1);
}

void differentiate(Gradients& gradients, const Op& op) {
  const TensorId dlogits = gradients.make(op.in[0]);
  Op grad{OpKind::softmax_cross_entropy_grad, op.name + ".grad", {op.in[0], op.in[1], op.out[2]}, {dlogits}, {}};
  if (op.in.size() > 2) grad.out.push_back(gradients.make(op.in[2]));
  gradients.add(grad);
  gradients.contribute(op.in[0], dlogits);
  if (op.in.size() > 2) gradients.contribute(op.in[2], grad.out[1]);
}

constexpr OpRow kRows[] = {
    {OpKind::softmax_cross_entropy, forward_loops, flops_per_input<4>, build, differentiate},
    {OpKind::softmax_cross_entropy_grad, gradient_loops, flops_per_input<3>, nullptr, nullptr},
};

}  // namespace loss

std::span<const OpRow> loss_rows() { return loss::kRows; }

}  // namespace lockstep::graph::ops
