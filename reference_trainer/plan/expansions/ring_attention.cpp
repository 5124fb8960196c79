// Attention over a sequence that is split over ranks (ring attention: Liu, Zaharia, Abbeel 2023): each rank keeps its
// queries, keys and values go round, and running sums merge what each block adds. In backward the gradients of keys and
// values travel with them, one turn more, and so end where they belong.
#include "reference_trainer/plan/expansions/expansions.h"

namespace lockstep::plan {
namespace {

using graph::Op;
using graph::OpKind;
using graph::TensorId;

constexpr int kGate = 2;

graph::Shape whole_of(const graph::Tensor& tensor) { return tensor.part.is_whole() ? tensor.shape : tensor.part.whole; }

/// Whole shape and layout of [batch, heads, seq] beside a [batch, seq, heads, head_dim] tensor.
TensorId add_rows(LocalBuilder& builder, const std::string& name, TensorId y) {
  const graph::Shape whole = whole_of(builder.tensor(y));
  const Layout& layout = builder.layout(y);
  return builder.add(name, {whole[0], whole[2], whole[1]}, {{layout.split[0], layout.split[2], layout.split[1]}, {}});
}

/// Gates [begin, begin + count) of the fused operand: 1 of queries, 2 of keys and values.
TensorId add_gates(LocalBuilder& builder, const std::string& name, TensorId qkv, int64_t count) {
  graph::Shape whole = whole_of(builder.tensor(qkv));
  whole[kGate].size = count;
  return builder.add(name, whole, builder.layout(qkv));
}

/// Where y lives in 16 bits, backward reads it as it was before: the serial gradient makes the same sums from the
/// probabilities, which are not rounded.
TensorId exact_of(LocalBuilder& builder, TensorId y) {
  if (!graph::is_16_bit(builder.tensor(y).type)) return y;
  const TensorId exact = builder.add_like(builder.tensor(y).name + " (exact)", y);
  builder.set_type(exact, graph::Type::real);
  return exact;
}

}  // namespace

void expand_ring_attention(LocalBuilder& builder, Op op, const std::vector<Axis>& axes) {
  const Axis axis = axes.front();
  const int ranks = builder.mesh().size(axis);
  const TensorId qkv = op.in[0], y = op.out[0];
  TensorId kv = add_gates(builder, op.name + ".kv", qkv, 2);
  builder.set_type(kv, builder.tensor(qkv).type);
  Op take{OpKind::narrow, op.name + ".kv", {qkv}, {kv}, {}};
  take.attr.axis = kGate, take.attr.begin = 1;
  builder.add(take);
  const TensorId own = kv;

  std::vector<TensorId> sums;
  for (int turn = 0; turn < ranks; ++turn) {
    if (turn > 0) kv = builder.rotate(kv, axis, turn, op.name + ".kv");
    const std::string name = op.name + ".block" + std::to_string(turn);
    const graph::Shape whole = whole_of(builder.tensor(y));
    const std::vector<TensorId> out = {builder.add(name, whole, builder.layout(y)), add_rows(builder, name + ".top", y),
                                       add_rows(builder, name + ".sum", y)};
    std::vector<TensorId> in = {qkv, kv};
    in.insert(in.end(), sums.begin(), sums.end());
    builder.add({OpKind::block_attention, name, in, out, {}});
    sums = out;
  }
  const TensorId lse = add_rows(builder, op.name + ".lse", y);
  const TensorId exact = exact_of(builder, y);
  builder.add({OpKind::block_attention_total, op.name, sums, {exact, lse}, {}});
  if (exact != y) builder.add({OpKind::cast, op.name + ".round", {exact}, {y}, {}});
  builder.kept[op.name] = {own, exact, lse};
}

void expand_ring_attention_grad(LocalBuilder& builder, Op op, const std::vector<Axis>& axes) {
  const Axis axis = axes.front();
  const int ranks = builder.mesh().size(axis);
  const std::vector<TensorId>& kept = builder.kept.at(op.name.substr(0, op.name.rfind(".grad")));
  const TensorId qkv = op.in[0], dy = op.in.back(), y = kept[1], lse = kept[2];
  TensorId kv = kept[0];
  const TensorId delta = add_rows(builder, op.name + ".delta", y);
  builder.add({OpKind::attention_delta, op.name + ".delta", {y, dy}, {delta}, {}});

  std::vector<TensorId> sums;  // dq, and dkv of the block that is here
  for (int turn = 0; turn < ranks; ++turn) {
    if (turn > 0) {
      kv = builder.rotate(kv, axis, turn, op.name + ".kv");
      sums[1] = builder.rotate(sums[1], axis, turn, op.name + ".dkv");
    }
    const std::string name = op.name + ".block" + std::to_string(turn);
    const TensorId dq = add_gates(builder, name + ".dq", qkv, 1);
    const TensorId dkv = builder.add_like(name + ".dkv", kv);
    builder.set_type(dkv, graph::Type::real);  // a sum that goes on
    std::vector<TensorId> in = {qkv, kv, lse, delta, dy};
    in.insert(in.end(), sums.begin(), sums.end());
    builder.add({OpKind::block_attention_grad, name, in, {dq, dkv}, {}});
    sums = {dq, dkv};
  }
  sums[1] = builder.rotate(sums[1], axis, ranks, op.name + ".dkv");
  Op join{OpKind::join, op.name, sums, op.out, {}};
  join.attr.axis = kGate;
  builder.add(join);
}

}  // namespace lockstep::plan
