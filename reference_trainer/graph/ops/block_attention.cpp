// The parts of ring attention (Liu, Zaharia, Abbeel 2023; Li et al. 2021): queries stay, blocks of keys and values come
// round, and running maxima and sums merge what each block adds, as in FlashAttention (Dao et al. 2022).
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace block_attention {

/// No loop: lowering made these.
OpLoops loops(const Graph& graph, const Op& op) {
  OpLoops result;
  for (const auto* ids : {&op.in, &op.out}) {
    for (TensorId id : *ids) result.operands.emplace_back(graph.tensor(id).shape.size(), int8_t{-1});
  }
  return result;
}

/// `gemms` products of queries x keys x head_dim a head, in full, and `pointwise` operations an entry.
template <int64_t gemms, int64_t pointwise>
int64_t flops(const Graph& graph, const Op& op, int64_t batch) {
  const Shape &q = graph.tensor(op.in[0]).shape, &kv = graph.tensor(op.in[1]).shape;
  const int64_t entries = batch * q[3].size * q[1].size * kv[1].size;
  return 2 * gemms * entries * q[4].size + pointwise * entries;
}

constexpr OpRow kRows[] = {
    {OpKind::block_attention, loops, flops<2, 5>, nullptr, nullptr},
    {OpKind::block_attention_total, loops, flops_per_output<2>, nullptr, nullptr},
    {OpKind::attention_delta, loops, flops_per_output<2>, nullptr, nullptr},
    {OpKind::block_attention_grad, loops, flops<5, 5>, nullptr, nullptr},
};

}  // namespace block_attention

std::span<const OpRow> block_attention_rows() { return block_attention::kRows; }

}  // namespace lockstep::graph::ops
