// dispatch: each token's row goes to its places at the experts; combine: what the experts made of it comes back,
// weighed by the router's gates (Lepikhin et al. 2020). A token whose experts are full gets zeros, so that the residual
// sum passes it through. Places without a token hold zeros.
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace dispatch {

enum : int8_t { kBatch, kSeq, kHidden };
/// Experts and places are indexed by what the slots say, not by a loop.
const std::vector<int8_t> kTokens = {kBatch, kSeq, kHidden}, kChoices = {kBatch, kSeq, -1};
const std::vector<int8_t> kPlaces = {kBatch, -1, -1, kHidden};

OpLoops nest(const Shape& tokens, std::vector<std::vector<int8_t>> operands) {
  return {loops_over(tokens), std::move(operands)};
}

OpLoops dispatch_loops(const Graph& graph, const Op& op) {
  return nest(graph.tensor(op.in[0]).shape, {kTokens, kChoices, kPlaces});
}
OpLoops dispatch_gradient_loops(const Graph& graph, const Op& op) {
  return nest(graph.tensor(op.out[0]).shape, {kPlaces, kChoices, kTokens});
}
OpLoops combine_loops(const Graph& graph, const Op& op) {
  return nest(graph.tensor(op.out[0]).shape, {kPlaces, kChoices, kChoices, kTokens});
}
OpLoops combine_gradient_loops(const Graph& graph, const Op& op) {
  return nest(graph.tensor(op.in[0]).shape, {kTokens, kPlaces, kChoices, kChoices, kPlaces, kChoices});
}

int64_t copies_only(const Graph&, const Op&, int64_t) { return 0; }

/// `each` operations for each number of a token's row and each of its choices.
template <int64_t each>
int64_t flops_of_choices(const Graph& graph, const Op& op, int64_t batch) {
  const bool gradient = op.kind == OpKind::combine_grad;
  const Tensor& choices = graph.tensor(op.in.back());
  return each * elements(choices, batch) * graph.tensor(gradient ? op.in[0] : op.out[0]).shape[2].size;
}

/// The route op whose gates the entry's input at `index` names.
const Op& route_of(const Builder& builder, const OpSpec& spec, size_t index) {
  const TensorId gates = builder.named(spec, index);
  for (const Op& op : builder.graph.ops) {
    if (op.kind == OpKind::route && op.out[0] == gates) return op;
  }
  builder.refuse(spec, "its second input \"" + spec.in[index] + "\" must be a route op");
}

void check_tokens(const Builder& builder, const OpSpec& spec, const Shape& tokens, const Shape& routed) {
  if (tokens.size() == 3 && tokens[1] == routed[1]) return;
  builder.refuse(spec, "its tokens are " + describe(tokens) + ", its router saw " + describe(routed));
}

void build_dispatch(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const Op route = route_of(builder, spec, 1);
  const Shape in = builder.shape(x), logits = builder.shape(route.in[0]);
  check_tokens(builder, spec, in, logits);
  const TensorId y = builder.activation(spec.name, {in[0], logits[2], {Dim::capacity, route.attr.capacity}, in[2]});
  builder.add({OpKind::dispatch, spec.name, {x, route.out[1]}, {y}, {}});
  builder.finish(spec, y);
}

void build_combine(Builder& builder, const OpSpec& spec) {
  const TensorId y = builder.named(spec, 0);
  const Op route = route_of(builder, spec, 1);
  const Shape in = builder.shape(y), logits = builder.shape(route.in[0]);
  if (in.size() != 4 || in[1] != logits[2] || in[2] != Extent{Dim::capacity, route.attr.capacity}) {
    builder.refuse(spec,
                   "its input must be [batch, expert, capacity, hidden] of its router's sizes, it is " + describe(in));
  }
  const TensorId z = builder.activation(spec.name, {logits[0], logits[1], in[3]});
  builder.add({OpKind::combine, spec.name, {y, route.out[0], route.out[1]}, {z}, {}});
  builder.finish(spec, z);
}

void differentiate_dispatch(Gradients& gradients, const Op& op) {
  if (!gradients.wanted(op.in[0])) return;
  const TensorId dx = gradients.make(op.in[0]);
  gradients.add({OpKind::dispatch_grad, op.name + ".grad", {gradients.of(op.out[0]), op.in[1]}, {dx}, {}});
  gradients.contribute(op.in[0], dx);
}

void differentiate_combine(Gradients& gradients, const Op& op) {
  const TensorId dy = gradients.make(op.in[0]), dgates = gradients.make(op.in[1]);
  gradients.add({OpKind::combine_grad,
                 op.name + ".grad",
                 {gradients.of(op.out[0]), op.in[0], op.in[1], op.in[2]},
                 {dy, dgates},
                 {}});
  gradients.contribute(op.in[0], dy);
  gradients.contribute(op.in[1], dgates);
}

constexpr OpRow kRows[] = {
    {OpKind::dispatch, dispatch_loops, copies_only, build_dispatch, differentiate_dispatch},
    {OpKind::dispatch_grad, dispatch_gradient_loops, flops_of_choices<1>, nullptr, nullptr},
    {OpKind::combine, combine_loops, flops_of_choices<2>, build_combine, differentiate_combine},
    {OpKind::combine_grad, combine_gradient_loops, flops_of_choices<3>, nullptr, nullptr},
};

}  // namespace dispatch

std::span<const OpRow> dispatch_rows() { return dispatch::kRows; }

}  // namespace lockstep::graph::ops
