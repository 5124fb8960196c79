#include "tests/kernels/model_cases.h"

#include "reference_trainer/graph/build.h"
#include "reference_trainer/graph/fuse.h"
#include "reference_trainer/graph/gradients.h"
#include "workloads/data/workload.h"

namespace lockstep::kernels::testing {
namespace {

/// Labels stay under the classes of the loss, ids under the rows of their table.
int64_t bound_of(const graph::Graph& graph, graph::TensorId index) {
  for (const graph::Op& op : graph.ops) {
    if (op.kind == graph::OpKind::embedding && op.in[0] == index) return graph.tensor(op.in[1]).shape[0].size;
    if (op.kind == graph::OpKind::select_positions && op.in[1] == index) return graph.tensor(op.in[0]).shape[1].size;
    if (op.kind == graph::OpKind::binary_cross_entropy && op.in[1] == index) return 2;
    if (op.kind == graph::OpKind::softmax_cross_entropy && op.in[1] == index) {
      return graph.tensor(op.in[0]).shape.back().size;
    }
  }
  return 1000;
}

}  // namespace

OpCase model_case(const std::string& id, const std::string& preset, int64_t batch) {
  const auto workload = workloads::resolve(LOCKSTEP_SOURCE_DIR "/workloads", id, preset, {});
  const auto make = [text = workload.json()] {
    CaseGraph c;
    c.scaled = true;
    c.graph = graph::fuse_activations(graph::differentiate(graph::build(text)));
    for (size_t t = 0; t < c.graph.tensors.size(); ++t) {
      const bool index = c.graph.tensors[t].type == graph::Type::index;
      c.bounds.push_back(index ? bound_of(c.graph, static_cast<graph::TensorId>(t)) : 0);
    }
    return c;
  };
  std::string name = "model_" + id + "_" + preset;
  for (char& letter : name) {
    if (letter == '-') letter = '_';
  }
  return {name, make, batch > 0 ? batch : workload.recipe.batch, 1e-4, false};
}

}  // namespace lockstep::kernels::testing
