// route: a router's choice of the k likeliest experts of each token, with a bounded number of places at each (k = 1:
// Switch Transformer, Fedus, Zoph, Shazeer 2021; k = 2: GShard, Lepikhin et al. 2020). load_balance: the auxiliary loss
// that keeps experts equally busy (Fedus et al. 2021, equation 4).
//
// Both work on routing groups of tokens, which belong to the workload: consecutive tokens of a sequence, or all of
// several consecutive samples. A group's first choices take their places before its second ones, each in the order of
// the tokens. So the sequence of a token must be whole here; a group of several samples needs these on one rank too.
#include <fmt/format.h>

#include <cmath>

#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace route {

constexpr int8_t kWhole = -1;  // read in full, whatever the loops' values

/// A loop over samples alone.
OpLoops nest(const Graph& graph, const Op& op) {
  const bool several_samples = op.attr.routing_group > graph.tensor(op.in[0]).shape[1].size;
  OpLoops result{{{Dim::batch, 0, several_samples ? Loop::whole : Loop::map}}, {}};
  for (const auto* ids : {&op.in, &op.out}) {
    for (TensorId id : *ids) {
      const size_t axes = graph.tensor(id).shape.size();
      result.operands.emplace_back(axes, kWhole);
      if (axes > 0) result.operands.back()[0] = 0;
    }
  }
  return result;
}

/// `fixed` operations an entry of the probabilities, and `each` more for each choice of a token.
template <int64_t fixed, int64_t each>
int64_t flops_of_route(const Graph& graph, const Op& op, int64_t batch) {
  const int64_t choices = each ? graph.tensor(op.kind == OpKind::route ? op.out[0] : op.in[1]).shape[2].size : 0;
  return (fixed + each * choices) * elements(graph.tensor(op.in[0]), batch);
}

int64_t whole_number(const OpSpec& spec, const char* key, int64_t otherwise) {
  return static_cast<int64_t>(spec.number(key, static_cast<double>(otherwise)));
}

/// The auxiliary loss of this router, added to those before it.
void add_penalty(Builder& builder, const OpSpec& spec, TensorId probs, const Attributes& attr) {
  const Shape samples = {builder.shape(probs)[0]};
  const std::string name = spec.name + ".balance";
  TensorId penalty = builder.activation(name, samples);
  builder.add({OpKind::load_balance, name, {probs}, {penalty}, attr});
  if (builder.penalty != kNoTensor) {
    const TensorId sum = builder.activation(spec.name + ".penalty", samples);
    builder.add({OpKind::add, spec.name + ".penalty", {builder.penalty, penalty}, {sum}, {}});
    penalty = sum;
  }
  builder.penalty = penalty;
}

/// A group is a whole part of a sequence, or whole sequences.
void check_group(const Builder& builder, const OpSpec& spec, int64_t group, int64_t seq) {
  if (group > 0 && (seq % group == 0 || group % seq == 0)) return;
  builder.refuse(spec,
                 fmt::format("\"routing_group\" is {} tokens; it must divide the sequence of {}, or be a multiple "
                             "of it",
                             group, seq));
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId logits = builder.named(spec, 0);
  const Shape in = builder.shape(logits);
  if (in.size() != 3 || in[1].dim != Dim::seq || in[2].dim != Dim::expert) {
    builder.refuse(spec, "its input must be [batch, seq, expert], it is " + describe(in));
  }
  const int64_t seq = in[1].size, experts = in[2].size, choices = whole_number(spec, "choices", 1);
  if (choices < 1 || choices > experts) {
    builder.refuse(spec, fmt::format("\"choices\" is {}; a token goes to 1 to {} experts", choices, experts));
  }
  const double factor = spec.number("capacity_factor", 1.25), weight = spec.number("balance", 0.01);
  if (!(factor > 0) || !(weight >= 0)) {
    builder.refuse(spec, fmt::format("\"capacity_factor\" is {} and \"balance\" is {}; the first must be above 0, the "
                                     "second not below",
                                     factor, weight));
  }
  Op op{OpKind::route, spec.name, {logits}, {}, {}};
  op.attr.routing_group = whole_number(spec, "routing_group", seq);
  op.attr.weight = weight;
  check_group(builder, spec, op.attr.routing_group, seq);
  const Shape chosen = {in[0], in[1], {Dim::gate, choices}};
  const TensorId gates = builder.activation(spec.name, chosen);
  const TensorId slots = builder.activation(spec.name + ".slots", chosen, Type::index);
  const TensorId probs = builder.activation(spec.name + ".probs", in);
  const TensorId dropped = builder.metric(spec.name + ".dropped");
  op.out = {gates, slots, probs, dropped};
  // The places of a sample at an expert: those of its groups, or its share of a group of several samples.
  const int64_t tokens = std::min(op.attr.routing_group, seq);
  const auto places =
      static_cast<int64_t>(std::ceil(factor * static_cast<double>(choices * tokens) / static_cast<double>(experts)));
  op.attr.capacity = places * (seq / tokens);
  builder.graph.dropped.push_back(dropped);
  builder.add(op);
  if (weight > 0) add_penalty(builder, spec, probs, op.attr);
  builder.finish(spec, gates);
}

void differentiate(Gradients& gradients, const Op& op) {
  const TensorId dlogits = gradients.make(op.in[0]);
  Op grad{OpKind::route_grad, op.name + ".grad", {op.out[2], gradients.of(op.out[0])}, {dlogits}, op.attr};
  if (gradients.of(op.out[2]) != kNoTensor) grad.in.push_back(gradients.of(op.out[2]));
  gradients.add(grad);
  gradients.contribute(op.in[0], dlogits);
}

void differentiate_balance(Gradients& gradients, const Op& op) {
  const TensorId dprobs = gradients.make(op.in[0]);
  gradients.add({OpKind::load_balance_grad, op.name + ".grad", {op.in[0], gradients.of(op.out[0])}, {dprobs}, op.attr});
  gradients.contribute(op.in[0], dprobs);
}

// route: maximum, difference, exponential, sum and quotient an entry, and a comparison for each choice.
constexpr OpRow kRows[] = {
    {OpKind::route, nest, flops_of_route<5, 1>, build, differentiate, "choices capacity_factor routing_group balance"},
    {OpKind::route_grad, nest, flops_of_route<4, 1>, nullptr, nullptr},
    {OpKind::load_balance, nest, flops_of_route<3, 0>, nullptr, differentiate_balance},
    {OpKind::load_balance_grad, nest, flops_of_route<2, 0>, nullptr, nullptr},
};

}  // namespace route

std::span<const OpRow> route_rows() { return route::kRows; }

}  // namespace lockstep::graph::ops
