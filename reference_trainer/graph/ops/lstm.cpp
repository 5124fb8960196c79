// lstm: the recurrence over a window on pre-projected gates (Hochreiter and Schmidhuber 1997; forget gate of Gers
// 2000).
#include <cmath>

#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace lstm {

enum : int8_t { kBatch, kSeq, kGate, kHidden, kContracted };
const std::vector<int8_t> kGates = {kBatch, kSeq, kGate, kHidden}, kState = {kBatch, kSeq, kHidden};
const std::vector<int8_t> kWeight = {kGate, kHidden, kContracted};

OpLoops nest(const Shape& gates) {
  OpLoops result{loops_over(gates, Loop::whole), {}};
  result.loops[kBatch].kind = Loop::map;
  result.loops.push_back({Dim::hidden, gates[3].size, Loop::whole});
  return result;
}

OpLoops forward_loops(const Graph& graph, const Op& op) {
  OpLoops result = nest(graph.tensor(op.in[0]).shape);
  result.operands = {kGates, kWeight, kState, kGates, kState};
  return result;
}

OpLoops input_loops(const Graph& graph, const Op& op) {
  OpLoops result = nest(graph.tensor(op.in[1]).shape);
  result.operands = {kState, kGates, kState, kWeight, kGates};
  return result;
}

OpLoops weight_loops(const Graph& graph, const Op& op) {
  OpLoops result = nest(graph.tensor(op.in[1]).shape);
  result.operands = {kState, kGates, kWeight};
  return result;
}

/// The recurrent products, and 10 operations a cell for the functions and the state.
template <int64_t pointwise>
int64_t flops(const Graph& graph, const Op& op, int64_t batch) {
  const OpLoops nest = loops_of(graph, op);
  const int64_t cells = batch * nest.loops[kSeq].size * nest.loops[kHidden].size;
  return cells * (2 * nest.loops[kGate].size * nest.loops[kContracted].size + pointwise);
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId xw = builder.named(spec, 0);
  const Shape in = builder.shape(xw);
  if (in.size() != 4 || in[1].dim != Dim::seq || in[2] != Extent{Dim::gate, 4}) {
    builder.refuse(spec, "its input must be [batch, seq, gate 4, hidden], it is " + describe(in));
  }
  const Init init = spec.init.value_or(Init{"uniform", 1 / std::sqrt(static_cast<double>(in[3].size))});
  const TensorId w = builder.parameter(spec.name + ".weight", {in[2], in[3], {Dim::hidden, in[3].size}}, init);
  const Shape state = {in[0], in[1], in[3]};
  const TensorId h = builder.activation(spec.name, state);
  builder.add({OpKind::lstm,
               spec.name,
               {xw, w},
               {h, builder.activation(spec.name + ".gates", in), builder.activation(spec.name + ".cell", state)},
               {}});
  builder.finish(spec, h);
}

void differentiate(Gradients& gradients, const Op& op) {
  const TensorId xw = op.in[0], w = op.in[1], h = op.out[0];
  const TensorId dxw = gradients.make(xw), dw = gradients.make(w);
  gradients.add(
      {OpKind::lstm_grad_input, op.name + ".grad_input", {gradients.of(h), op.out[1], op.out[2], w}, {dxw}, {}});
  gradients.add({OpKind::lstm_grad_weight, op.name + ".grad_weight", {h, dxw}, {dw}, {}});
  gradients.contribute(w, dw);
  gradients.contribute(xw, dxw);
}

constexpr OpRow kRows[] = {
    {OpKind::lstm, forward_loops, flops<10>, build, differentiate, "init", flops<0>},
    {OpKind::lstm_grad_input, input_loops, flops<24>, nullptr, nullptr},
    {OpKind::lstm_grad_weight, weight_loops, flops<0>, nullptr, nullptr},
};

}  // namespace lstm

std::span<const OpRow> lstm_rows() { return lstm::kRows; }

}  // namespace lockstep::graph::ops
