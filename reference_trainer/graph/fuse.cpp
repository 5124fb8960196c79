#include "reference_trainer/graph/fuse.h"

namespace lockstep::graph {
namespace {

std::vector<int> reader_counts(const Graph& graph) {
  std::vector<int> readers(graph.tensors.size(), 0);
  for (const Op& op : graph.ops) {
    for (TensorId id : op.in) ++readers[static_cast<size_t>(id)];
  }
  return readers;
}

bool fusible(const Op& producer, const Op& consumer, const std::vector<int>& readers) {
  const bool takes = producer.kind == OpKind::linear || producer.kind == OpKind::conv2d;
  const bool given = consumer.kind == OpKind::relu || consumer.kind == OpKind::tanh;
  return takes && given && producer.attr.activation == OpKind::none && consumer.in[0] == producer.out[0] &&
         readers[static_cast<size_t>(producer.out[0])] == 1;
}

}  // namespace

std::vector<bool> takes_activation(const Graph& graph) {
  const std::vector<int> readers = reader_counts(graph);
  std::vector<bool> takes(static_cast<size_t>(graph.forward_ops), false);
  for (size_t i = 1; i < takes.size(); ++i) takes[i - 1] = fusible(graph.ops[i - 1], graph.ops[i], readers);
  return takes;
}

Graph fuse_activations(Graph graph) {
  const std::vector<int> readers = reader_counts(graph);
  std::vector<Op> ops;
  int32_t forward = 0;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    Op& op = graph.ops[i];
    if (!ops.empty() && static_cast<int32_t>(i) < graph.forward_ops && fusible(ops.back(), op, readers)) {
      ops.back().attr.activation = op.kind;
      ops.back().out = op.out;
      continue;
    }
    ops.push_back(std::move(op));
    if (static_cast<int32_t>(i) < graph.forward_ops) ++forward;
  }
  graph.ops = std::move(ops);
  graph.forward_ops = forward;
  return graph;
}

}  // namespace lockstep::graph
