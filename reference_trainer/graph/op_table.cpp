#include "reference_trainer/graph/op_table.h"

#include "adapters/contract/invariant.h"
#include "reference_trainer/graph/cost.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph {

std::span<const OpRow> op_table() {
  static const std::vector<OpRow> rows = [] {
    std::vector<OpRow> all;
    for (auto part : {ops::linear_rows(),        ops::conv2d_rows(),
                      ops::pool_rows(),          ops::batch_norm_rows(),
                      ops::layer_norm_rows(),    ops::pointwise_rows(),
                      ops::embedding_rows(),     ops::attention_rows(),
                      ops::lstm_rows(),          ops::loss_rows(),
                      ops::dropout_rows(),       ops::exchange_rows(),
                      ops::cut_rows(),           ops::local_response_norm_rows(),
                      ops::patches_rows(),       ops::select_positions_rows(),
                      ops::route_rows(),         ops::dispatch_rows(),
                      ops::expert_linear_rows(), ops::embedding_bag_rows(),
                      ops::pairwise_dot_rows(),  ops::binary_loss_rows(),
                      ops::split_loss_rows(),    ops::block_attention_rows(),
                      ops::split_norm_rows(),    ops::cast_rows()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return rows;
}

const OpRow& row_of(OpKind kind) {
  for (const OpRow& row : op_table()) {
    if (row.kind == kind) return row;
  }
  LOCKSTEP_INVARIANT(false, "op kind {} has no row", static_cast<int>(kind));
}

OpLoops loops_of(const Graph& graph, const Op& op) { return row_of(op.kind).loops(graph, op); }

bool OpLoops::indexes(size_t operand, size_t loop) const {
  for (int8_t index : operands[operand]) {
    if (index == static_cast<int8_t>(loop)) return true;
  }
  return false;
}

int64_t flops(const Graph& graph, const Op& op, int64_t batch) { return row_of(op.kind).flops(graph, op, batch); }

int64_t bytes(const Graph& graph, const Op& op, int64_t batch, int64_t real_bytes) {
  int64_t sum = 0;
  for (const auto* operands : {&op.in, &op.out}) {
    for (TensorId id : *operands) {
      sum += bytes(graph.tensor(id), batch, real_bytes);
    }
  }
  return sum;
}

int64_t model_flops_per_sample(const Graph& graph) {
  int64_t sum = 0;
  for (int32_t i = 0; i < graph.forward_ops; ++i) {
    const Op& op = graph.ops[static_cast<size_t>(i)];
    const OpRow& row = row_of(op.kind);
    if (row.products) sum += 3 * row.products(graph, op, 1);
  }
  return sum;
}

}  // namespace lockstep::graph
