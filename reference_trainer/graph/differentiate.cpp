#include "adapters/contract/invariant.h"
#include "reference_trainer/graph/gradients.h"
#include "reference_trainer/graph/op_table.h"

namespace lockstep::graph {

Gradients::Gradients(Graph& graph)
    : graph_(graph),
      gradient_(graph.tensors.size(), kNoTensor),
      parts_(graph.tensors.size(), 0),
      wanted_(graph.tensors.size(), false) {
  for (TensorId id : graph.parameters) wanted_[static_cast<size_t>(id)] = true;
  for (const Op& op : graph.ops) {
    bool depends = false;
    for (TensorId id : op.in) depends = depends || wanted_[static_cast<size_t>(id)];
    if (!depends) continue;
    for (TensorId id : op.out) {
      if (graph.tensor(id).type == Type::real) wanted_[static_cast<size_t>(id)] = true;
    }
  }
}

TensorId Gradients::make(TensorId tensor) {
  const Tensor& source = graph_.tensor(tensor);
  const int part = parts_[static_cast<size_t>(tensor)]++;
  std::string name = "d " + source.name;
  if (part > 0) name += " " + std::to_string(part);
  graph_.tensors.push_back(
      {std::move(name), source.shape, Type::real, Role::activation, {}, tensor, {}, source.blocks});
  return static_cast<TensorId>(graph_.tensors.size()) - 1;
}

void Gradients::contribute(TensorId tensor, TensorId part) {
  TensorId& sum = gradient_[static_cast<size_t>(tensor)];
  if (sum == kNoTensor) {
    sum = part;
    return;
  }
  const TensorId total = make(tensor);
  add({OpKind::add, graph_.tensor(total).name + " sum", {sum, part}, {total}, {}});
  sum = total;
}

Graph differentiate(Graph graph) {
  LOCKSTEP_INVARIANT(graph.loss != kNoTensor, "a graph of {} ops without a loss has no gradient", graph.ops.size());
  graph.forward_ops = static_cast<int32_t>(graph.ops.size());
  Gradients gradients(graph);
  for (int32_t i = graph.forward_ops; i-- > 0;) {
    const Op op = graph.ops[static_cast<size_t>(i)];  // a copy: the list grows while its gradient is written
    const bool is_loss = op.out[0] == graph.loss;
    if (!is_loss && gradients.of(op.out[0]) == kNoTensor) continue;
    row_of(op.kind).differentiate(gradients, op);
  }
  for (TensorId parameter : graph.parameters) {
    const TensorId gradient = gradients.of(parameter);
    LOCKSTEP_INVARIANT(gradient != kNoTensor, "parameter {} does not reach the loss", graph.tensor(parameter).name);
    graph.tensors[static_cast<size_t>(gradient)].role = Role::gradient;
  }
  return graph;
}

std::vector<TensorId> parameter_gradients(const Graph& graph) {
  std::vector<TensorId> result(graph.parameters.size(), kNoTensor);
  for (size_t i = 0; i < graph.parameters.size(); ++i) {
    for (size_t t = 0; t < graph.tensors.size(); ++t) {
      if (graph.tensors[t].role == Role::gradient && graph.tensors[t].of == graph.parameters[i]) {
        result[i] = static_cast<TensorId>(t);
      }
    }
  }
  return result;
}

}  // namespace lockstep::graph
