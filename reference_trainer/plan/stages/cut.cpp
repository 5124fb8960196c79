#include "reference_trainer/plan/stages/cut.h"

#include <algorithm>

namespace lockstep::stages {

using graph::Graph;
using graph::Op;
using graph::OpKind;
using graph::TensorId;

namespace {

/// Tensors that depend on a parameter: those that have a gradient.
std::vector<bool> trained_tensors(const Graph& graph) {
  std::vector<bool> out(graph.tensors.size(), false);
  for (const TensorId id : graph.parameters) out[static_cast<size_t>(id)] = true;
  for (int32_t i = 0; i < forward_ops(graph); ++i) {
    const Op& op = graph.ops[static_cast<size_t>(i)];
    const bool depends = std::ranges::any_of(op.in, [&](TensorId id) { return out[static_cast<size_t>(id)]; });
    for (const TensorId id : op.out) out[static_cast<size_t>(id)] = depends;
  }
  return out;
}

/// An activation right after the product that fuse_activations() merges it into.
bool fusible_pair(const Op& before, const Op& after) {
  const bool product = before.kind == OpKind::linear || before.kind == OpKind::conv2d;
  const bool merged = after.kind == OpKind::relu || after.kind == OpKind::tanh;
  return product && merged && after.in[0] == before.out[0];
}

bool may_cross(const graph::Tensor& tensor) {
  return tensor.role == graph::Role::activation && tensor.type != graph::Type::index && graph::has_batch(tensor.shape);
}

}  // namespace

int Cut::stage_of(int32_t op) const {
  return static_cast<int>(std::ranges::upper_bound(begins, op) - begins.begin()) - 1;
}

int32_t forward_ops(const Graph& graph) {
  return graph.forward_ops > 0 ? graph.forward_ops : static_cast<int32_t>(graph.ops.size());
}

std::vector<int32_t> producers(const Graph& graph) {
  std::vector<int32_t> out(graph.tensors.size(), -1);
  for (int32_t i = 0; i < forward_ops(graph); ++i) {
    for (const TensorId id : graph.ops[static_cast<size_t>(i)].out) out[static_cast<size_t>(id)] = i;
  }
  return out;
}

std::vector<TensorId> border_tensors(const Graph& graph, int32_t cut) {
  const std::vector<int32_t> makers = producers(graph);
  std::vector<TensorId> out;
  for (int32_t i = cut; i < forward_ops(graph); ++i) {
    for (const TensorId id : graph.ops[static_cast<size_t>(i)].in) {
      const int32_t maker = makers[static_cast<size_t>(id)];
      if (maker >= 0 && maker < cut && std::ranges::find(out, id) == out.end()) out.push_back(id);
    }
  }
  std::ranges::sort(out);
  return out;
}

std::vector<int32_t> legal_cuts(const Graph& graph) {
  const std::vector<bool> trained = trained_tensors(graph);
  std::vector<int32_t> out;
  for (int32_t cut = 1; cut < forward_ops(graph); ++cut) {
    if (fusible_pair(graph.ops[static_cast<size_t>(cut - 1)], graph.ops[static_cast<size_t>(cut)])) continue;
    const std::vector<TensorId> border = border_tensors(graph, cut);
    const bool all = std::ranges::all_of(border, [&](TensorId id) { return may_cross(graph.tensor(id)); });
    const bool some = std::ranges::any_of(border, [&](TensorId id) { return trained[static_cast<size_t>(id)]; });
    if (all && some) out.push_back(cut);
  }
  return out;
}

}  // namespace lockstep::stages
