// binary_cross_entropy: of one logit a sample and a label of 0 or 1. Summed and scaled like softmax_cross_entropy.
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace binary_loss {

/// The one class is no loop that could be split.
OpLoops nest(const Graph& graph, const Op& op) {
  OpLoops result{{{Dim::batch, 0, Loop::map}}, {}};
  for (const auto* ids : {&op.in, &op.out}) {
    for (TensorId id : *ids) {
      const size_t axes = graph.tensor(id).shape.size();
      result.operands.emplace_back(axes, int8_t{-1});
      if (axes > 0) result.operands.back()[0] = 0;
    }
  }
  return result;
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId logits = builder.named(spec, 0), labels = builder.named(spec, 1);
  const Shape in = builder.shape(logits);
  if (in.size() != 2 || in[1].size != 1) {
    builder.refuse(spec, "its logits must be [batch, a dim of 1], they are " + describe(in));
  }
  if (builder.graph.tensor(labels).type != Type::index || builder.shape(labels).size() != 1) {
    builder.refuse(spec, "its labels must be an index tensor [batch], they are " + describe(builder.shape(labels)));
  }
  if (builder.graph.loss != kNoTensor) builder.refuse(spec, "a graph has one loss");
  const TensorId loss = builder.metric(spec.name), correct = builder.metric(spec.name + ".correct");
  builder.add({OpKind::binary_cross_entropy,
               spec.name,
               {logits, labels},
               {loss, correct, builder.activation(spec.name + ".probs", in)},
               {}});
  builder.graph.loss = loss;
  builder.graph.correct = correct;
}

void differentiate(Gradients& gradients, const Op& op) {
  const TensorId dlogits = gradients.make(op.in[0]);
  gradients.add({OpKind::binary_cross_entropy_grad, op.name + ".grad", {op.out[2], op.in[1]}, {dlogits}, {}});
  gradients.contribute(op.in[0], dlogits);
}

constexpr OpRow kRows[] = {
    {OpKind::binary_cross_entropy, nest, flops_per_input<6>, build, differentiate},
    {OpKind::binary_cross_entropy_grad, nest, flops_per_input<2>, nullptr, nullptr},
};

}  // namespace binary_loss

std::span<const OpRow> binary_loss_rows() { return binary_loss::kRows; }

}  // namespace lockstep::graph::ops
