#include "reference_trainer/plan/stages/cost.h"

#include <algorithm>

#include "reference_trainer/graph/cost.h"
#include "reference_trainer/plan/stages/backward.h"

namespace lockstep::stages {

using graph::Graph;
using graph::TensorId;

std::vector<double> flop_costs(const Graph& graph, int64_t batch) {
  const Backward backward(graph);
  std::vector<double> out(static_cast<size_t>(graph.forward_ops), 0);
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const int32_t owner = backward.forward_of(static_cast<int32_t>(i));
    out[static_cast<size_t>(owner)] += static_cast<double>(graph::flops(graph, graph.ops[i], batch));
  }
  return out;
}

int64_t border_bytes(const Graph& graph, int32_t cut, int64_t batch, int64_t real_bytes) {
  int64_t out = 0;
  for (const TensorId id : border_tensors(graph, cut)) out += graph::bytes(graph.tensor(id), batch, real_bytes);
  return out;
}

std::vector<TensorId> parameters_of(const Graph& graph, int32_t begin, int32_t end) {
  std::vector<TensorId> out;
  for (const TensorId parameter : graph.parameters) {
    for (int32_t i = begin; i < end; ++i) {
      const auto& in = graph.ops[static_cast<size_t>(i)].in;
      if (std::ranges::find(in, parameter) == in.end()) continue;
      out.push_back(parameter);
      break;
    }
  }
  return out;
}

int64_t made_bytes(const Graph& graph, const graph::Op& op, int64_t batch, int64_t real_bytes) {
  int64_t out = 0;
  for (const TensorId id : op.out) {
    if (graph.tensor(id).role == graph::Role::activation) out += graph::bytes(graph.tensor(id), batch, real_bytes);
  }
  return out;
}

}  // namespace lockstep::stages
