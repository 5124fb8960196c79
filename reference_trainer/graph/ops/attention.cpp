// attention: multi-head, causal or not, softmax(q k^T / sqrt(head_dim)) v (Vaswani et al. 2017), on one fused q, k, v
// operand.
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace attention {

enum : int8_t { kBatch, kSeq, kGate, kHeads, kHeadDim, kKvSeq };

/// Without a mask every query sees every key: the loop over positions then has another name, so that rules for the
/// ring, whose blocks are causal, leave it alone, and the sequence is gathered for it.
OpLoops nest(const Shape& qkv, bool causal) {
  OpLoops result{loops_over(qkv, Loop::whole), {}};
  if (!causal) result.loops[kSeq].dim = Dim::kv_seq;
  result.loops[kBatch].kind = result.loops[kHeads].kind = Loop::map;
  result.loops.push_back({Dim::kv_seq, qkv[1].size, Loop::whole});
  return result;
}

const std::vector<int8_t> kQkv = {kBatch, kSeq, kGate, kHeads, kHeadDim}, kOutput = {kBatch, kSeq, kHeads, kHeadDim};
const std::vector<int8_t> kProbs = {kBatch, kHeads, kSeq, kKvSeq};

OpLoops forward_loops(const Graph& graph, const Op& op) {
  OpLoops result = nest(graph.tensor(op.in[0]).shape, op.attr.causal);
  result.operands = {kQkv, kOutput, kProbs};
  return result;
}

OpLoops gradient_loops(const Graph& graph, const Op& op) {
  OpLoops result = nest(graph.tensor(op.in[0]).shape, op.attr.causal);
  result.operands = {kQkv, kProbs, kOutput, kQkv};
  return result;
}

/// `gemms` products of seq x seq x head_dim a head, 2 operations a multiply-add, and `pointwise` an entry (softmax).
template <int64_t gemms, int64_t pointwise>
int64_t flops(const Graph& graph, const Op& op, int64_t batch) {
  const Shape& qkv = graph.tensor(op.in[0]).shape;
  const int64_t entries = batch * qkv[3].size * qkv[1].size * qkv[1].size;
  return 2 * gemms * entries * qkv[4].size + pointwise * entries;
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId qkv = builder.named(spec, 0);
  const Shape in = builder.shape(qkv);
  if (in.size() != 5 || in[1].dim != Dim::seq || in[2] != Extent{Dim::gate, 3}) {
    builder.refuse(spec, "its input must be [batch, seq, gate 3, heads, head_dim], it is " + describe(in));
  }
  const TensorId y = builder.activation(spec.name, {in[0], in[1], in[3], in[4]});
  const TensorId probs = builder.activation(spec.name + ".probs", {in[0], in[3], in[1], {Dim::kv_seq, in[1].size}});
  Op op{OpKind::attention, spec.name, {qkv}, {y, probs}, {}};
  op.attr.causal = spec.flag("causal", true);
  builder.add(op);
  builder.finish(spec, y);
}

void differentiate(Gradients& gradients, const Op& op) {
  const TensorId dqkv = gradients.make(op.in[0]);
  gradients.add(
      {OpKind::attention_grad, op.name + ".grad", {op.in[0], op.out[1], gradients.of(op.out[0])}, {dqkv}, op.attr});
  gradients.contribute(op.in[0], dqkv);
}

constexpr OpRow kRows[] = {
    {OpKind::attention, forward_loops, flops<2, 5>, build, differentiate, "causal", flops<2, 0>},
    {OpKind::attention_grad, gradient_loops, flops<4, 5>, nullptr, nullptr},
};

}  // namespace attention

std::span<const OpRow> attention_rows() { return attention::kRows; }

}  // namespace lockstep::graph::ops
