#pragma once

#include <string>
#include <vector>

#include "reference_trainer/graph/build.h"
#include "reference_trainer/graph/builder.h"

/// Small graphs for tests, written as workloads write them.
namespace lockstep::graph::testing {

/// Inputs: image [batch, chan_in 3, height 8, width 6], tokens and targets [batch, seq 5], label [batch],
/// vector [batch, hidden 6], rows [batch, seq 5, hidden 8], gates [batch, seq 5, gate 4, hidden 8],
/// qkv [batch, seq 5, gate 3, heads 2, head_dim 4], ids [batch, table 3, seq 2]. `ops` is the list without its
/// brackets.
inline std::string workload_text(const std::string& ops, const std::string& recipe = "{}") {
  return R"({"inputs": {
    "image": {"dims": {"chan_in": 3, "height": 8, "width": 6}, "type": "real"},
    "tokens": {"dims": {"seq": 5}, "type": "index"}, "targets": {"dims": {"seq": 5}, "type": "index"},
    "label": {"dims": {}, "type": "index"}, "vector": {"dims": {"hidden": 6}, "type": "real"},
    "rows": {"dims": {"seq": 5, "hidden": 8}, "type": "real"},
    "gates": {"dims": {"seq": 5, "gate": 4, "hidden": 8}, "type": "real"},
    "ids": {"dims": {"table": 3, "seq": 2}, "type": "index"},
    "qkv": {"dims": {"seq": 5, "gate": 3, "heads": 2, "head_dim": 4}, "type": "real"}},
    "recipe": )" +
         recipe + ", \"graph\": [" + ops + "]}";
}

/// Ends a graph: ten classes from the tensor `from`, one a sample.
inline std::string classes_from(const std::string& from) {
  return R"(, {"op": "linear", "name": "top", "in": ")" + from + R"(", "out": {"class": 10}},
    {"op": "softmax_cross_entropy", "name": "loss", "in": ["top", "label"]})";
}

/// The same a token: seven words.
inline std::string words_from(const std::string& from) {
  return R"(, {"op": "linear", "name": "top", "in": ")" + from + R"(", "out": {"vocab": 7}},
    {"op": "softmax_cross_entropy", "name": "loss", "in": ["top", "targets"]})";
}

/// Three linear layers' worth: fc (relu), top, loss.
inline std::string small_mlp() {
  return R"({"op": "linear", "name": "fc", "in": "vector", "out": {"ffn": 4}, "activation": "relu"})" +
         classes_from("fc");
}

inline const Op& op_named(const Graph& graph, const std::string& name) {
  for (const Op& op : graph.ops) {
    if (op.name == name) return op;
  }
  throw std::logic_error("no op " + name);
}

inline std::string shape_of(const Graph& graph, const std::string& tensor) {
  const TensorId id = graph.find(tensor);
  return id == kNoTensor ? "no tensor " + tensor : describe(graph.tensor(id).shape);
}

/// "linear fc(vector, fc.weight) -> fc" for each op from `first` on.
inline std::vector<std::string> lines_of(const Graph& graph, size_t first = 0) {
  std::vector<std::string> lines;
  const auto names = [&](const std::vector<TensorId>& ids) {
    std::string text;
    for (TensorId id : ids) text += (text.empty() ? "" : ", ") + graph.tensor(id).name;
    return text;
  };
  for (size_t i = first; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    lines.push_back(std::string(name(op.kind)) + " " + op.name + "(" + names(op.in) + ") -> " + names(op.out));
  }
  return lines;
}

}  // namespace lockstep::graph::testing
