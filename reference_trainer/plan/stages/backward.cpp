#include "reference_trainer/plan/stages/backward.h"

#include <algorithm>

#include "adapters/contract/invariant.h"
#include "reference_trainer/plan/stages/cut.h"

namespace lockstep::stages {

using graph::Graph;
using graph::kNoTensor;
using graph::Op;
using graph::OpKind;
using graph::TensorId;

namespace {

bool reads(const Op& op, TensorId tensor) { return std::ranges::find(op.in, tensor) != op.in.end(); }

}  // namespace

Backward::Backward(const Graph& graph)
    : graph_(graph), producers_(producers(graph)), writers_(graph.tensors.size(), -1) {
  LOCKSTEP_INVARIANT(graph.forward_ops > 0, "a graph of {} ops is not differentiated", graph.ops.size());
  forward_of_.resize(graph.ops.size(), -1);
  for (int32_t i = 0; i < static_cast<int32_t>(graph.ops.size()); ++i) {
    const Op& op = graph.ops[static_cast<size_t>(i)];
    int32_t& owner = forward_of_[static_cast<size_t>(i)];
    if (i < graph.forward_ops) {
      owner = i;
      continue;
    }
    owner = op.kind == OpKind::add ? find_summand(op) : find_forward(op);
    LOCKSTEP_INVARIANT(owner >= 0, "backward op {} belongs to no forward op", op.name);
    for (const TensorId id : op.out) writers_[static_cast<size_t>(id)] = i;
  }
}

/// A gradient op writes gradients of its forward op's operands, reads nothing else of the forward pass than that op's
/// operands and results, and reads the gradient of its result (but for a loss, which has none, and for an op in two
/// parts).
int32_t Backward::find_forward(const Op& op) const {
  for (int32_t i = graph_.forward_ops; i-- > 0;) {
    const Op& forward = graph_.ops[static_cast<size_t>(i)];
    const auto is_result = [&](TensorId id) { return std::ranges::find(forward.out, id) != forward.out.end(); };
    const auto fits = [&](TensorId id) {
      return graph_.tensor(id).of != kNoTensor || reads(forward, id) || is_result(id);
    };
    const bool writes = std::ranges::all_of(op.out, [&](TensorId id) { return reads(forward, graph_.tensor(id).of); });
    if (!writes || !std::ranges::all_of(op.in, fits)) continue;
    if (std::ranges::any_of(op.in, is_result) || reads(op, gradient_from(forward.out[0], i + 1))) return i;
  }
  return -1;
}

/// A sum adds the part that comes second; it belongs to whoever made it, or to the forward op that handed it on.
int32_t Backward::find_summand(const Op& sum) const {
  const TensorId part = sum.in[1], target = graph_.tensor(sum.out[0]).of;
  if (graph_.tensor(part).of == target) return forward_of(writers_[static_cast<size_t>(part)]);
  for (int32_t i = graph_.forward_ops; i-- > 0;) {
    const Op& op = graph_.ops[static_cast<size_t>(i)];
    if (hands_on(i, target) && gradient_from(op.out[0], i + 1) == part) return i;
  }
  return -1;
}

bool Backward::hands_on(int32_t forward, TensorId operand) const {
  if (!reads(graph_.ops[static_cast<size_t>(forward)], operand)) return false;
  for (size_t i = static_cast<size_t>(graph_.forward_ops); i < graph_.ops.size(); ++i) {
    if (forward_of_[i] != forward) continue;
    for (const TensorId id : graph_.ops[i].out) {
      if (graph_.tensor(id).of == operand) return false;
    }
  }
  return true;
}

TensorId Backward::gradient_from(TensorId tensor, int32_t first) const {
  for (size_t i = graph_.ops.size(); i-- > static_cast<size_t>(graph_.forward_ops);) {
    if (forward_of_[i] < first) continue;  // not known yet counts as not there
    for (const TensorId id : graph_.ops[i].out) {
      if (graph_.tensor(id).of == tensor) return id;
    }
  }
  for (int32_t i = graph_.forward_ops; i-- > first;) {
    const Op& op = graph_.ops[static_cast<size_t>(i)];
    if (!hands_on(i, tensor)) continue;
    if (const TensorId handed = gradient_from(op.out[0], i + 1); handed != kNoTensor) return handed;
  }
  return kNoTensor;
}

}  // namespace lockstep::stages
