#include "reference_trainer/plan/expansions/expansions.h"

namespace lockstep::plan {
namespace {

constexpr Expansion kExpansions[] = {
    {graph::OpKind::softmax_cross_entropy, graph::Dim::vocab, expand_cross_entropy, ""},
    {graph::OpKind::attention, graph::Dim::seq, expand_ring_attention, ".probs", false, true},
    {graph::OpKind::attention_grad, graph::Dim::seq, expand_ring_attention_grad, ".probs", false, true},
    {graph::OpKind::batch_norm, graph::Dim::batch, expand_batch_norm, "", true},
    {graph::OpKind::batch_norm, graph::Dim::height, expand_batch_norm, "", true},
    {graph::OpKind::batch_norm, graph::Dim::width, expand_batch_norm, "", true},
    {graph::OpKind::batch_norm_grad, graph::Dim::batch, expand_batch_norm_grad, "", true, false, true},
    {graph::OpKind::batch_norm_grad, graph::Dim::height, expand_batch_norm_grad, "", true, false, true},
    {graph::OpKind::batch_norm_grad, graph::Dim::width, expand_batch_norm_grad, "", true, false, true},
};

}  // namespace

const Expansion* expansion_of(graph::OpKind kind, graph::Dim loop) {
  for (const Expansion& row : kExpansions) {
    if (row.kind == kind && row.loop == loop) return &row;
  }
  return nullptr;
}

}  // namespace lockstep::plan
