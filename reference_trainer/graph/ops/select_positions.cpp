// select_positions: some positions of each sequence, such as those whose words a masked language model has to guess
// (Devlin et al. 2019).
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace select_positions {

/// Both sequences are whole: any place may point anywhere.
OpLoops loops(const Graph& graph, const Op& op) {
  const Shape& rows = graph.tensor(op.out[0]).shape;
  OpLoops result{{{rows[0].dim, 0, Loop::map}, {rows[2].dim, rows[2].size, Loop::map}}, {}};
  result.operands = {{0, -1, 1}, {0, -1}, {0, -1, 1}};
  return result;
}

int64_t copies_only(const Graph&, const Op&, int64_t) { return 0; }

void build(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0), places = builder.named(spec, 1);
  const Shape in = builder.shape(x), chosen = builder.shape(places);
  if (in.size() != 3 || in[1].dim != Dim::seq) {
    builder.refuse(spec, "its input must be [batch, seq, hidden], it is " + describe(in));
  }
  if (builder.graph.tensor(places).type != Type::index || chosen.size() != 2 || chosen[1].dim != Dim::seq) {
    builder.refuse(spec, "its places must be an index tensor [batch, seq], they are " + describe(chosen));
  }
  const TensorId y = builder.activation(spec.name, {in[0], chosen[1], in[2]});
  builder.add({OpKind::select_positions, spec.name, {x, places}, {y}, {}});
  builder.finish(spec, y);
}

void differentiate(Gradients& gradients, const Op& op) {
  if (!gradients.wanted(op.in[0])) return;
  const TensorId dx = gradients.make(op.in[0]);
  gradients.add({OpKind::select_positions_grad, op.name + ".grad", {gradients.of(op.out[0]), op.in[1]}, {dx}, {}});
  gradients.contribute(op.in[0], dx);
}

constexpr OpRow kRows[] = {
    {OpKind::select_positions, loops, copies_only, build, differentiate},
    {OpKind::select_positions_grad, loops, flops_per_input<1>, nullptr, nullptr},
};

}  // namespace select_positions

std::span<const OpRow> select_positions_rows() { return select_positions::kRows; }

}  // namespace lockstep::graph::ops
