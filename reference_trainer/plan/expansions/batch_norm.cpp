// Batch norm over the samples, rows or columns of several ranks (synchronised batch norm): each sums its own, the sums
// of all are added up, and each goes on with the same statistics; in backward the same with the gradients' sums.
//
// A step's samples are dealt out one by one, so of p ranks each has every p-th sample of a group of g, g/p of them one
// after the other: the group's statistics are those of its parts.
#include "reference_trainer/plan/expansions/expansions.h"

namespace lockstep::plan {
namespace {

using graph::Op;
using graph::OpKind;
using graph::TensorId;

constexpr int kSums = 3;

/// How many samples of a group lie here; 0: the group is the whole batch.
int64_t group_here(const LocalBuilder& builder, const Op& op, const std::vector<Axis>& axes) {
  int64_t group = op.attr.norm_group;
  for (Axis axis : axes) group /= deals_samples(axis) ? builder.mesh().size(axis) : 1;
  return group;
}

/// [batch, channels, sums], a row a group: partial over the axes.
TensorId add_sums(LocalBuilder& builder, const std::string& name, TensorId x, const std::vector<Axis>& axes) {
  const graph::Tensor& tensor = builder.tensor(x);
  const graph::Shape& whole = tensor.part.is_whole() ? tensor.shape : tensor.part.whole;
  const Layout& layout = builder.layout(x);
  return builder.add(name, {whole[0], whole[1], {graph::Dim::gate, kSums}},
                     {{layout.split[0], layout.split[1], {}}, axes});
}

/// The sums of all ranks, as far as rows are used.
TensorId added_up(LocalBuilder& builder, TensorId sums, int64_t group, const std::string& reader) {
  Layout whole = builder.layout(sums);
  whole.partial.clear();
  const size_t before = builder.local().exchanges.size();
  const TensorId done = builder.convert(sums, whole, reader);
  for (size_t i = before; i < builder.local().exchanges.size(); ++i) builder.local().exchanges[i].samples_a_row = group;
  return done;
}

}  // namespace

void expand_batch_norm(LocalBuilder& builder, Op op, const std::vector<Axis>& axes) {
  op.attr.norm_group = group_here(builder, op, axes);
  const TensorId x = op.in[0], running_mean = op.in[3], sums = add_sums(builder, op.name + ".sums", x, axes);
  builder.add({OpKind::batch_norm_sums, op.name + ".sums", {x, running_mean}, {sums}, op.attr});
  Op total = op;
  total.kind = OpKind::batch_norm_total;
  total.in.push_back(added_up(builder, sums, op.attr.norm_group, op.name));
  builder.add(total);
}

void expand_batch_norm_grad(LocalBuilder& builder, Op op, const std::vector<Axis>& axes) {
  op.attr.norm_group = group_here(builder, op, axes);
  const TensorId x = op.in[0], dy = op.in[1], mean = op.in[3], rstd = op.in[4];
  const TensorId sums = add_sums(builder, op.name + ".sums", x, axes);
  builder.add(
      {OpKind::batch_norm_grad_sums, op.name + ".sums", {x, dy, mean, rstd}, {sums, op.out[1], op.out[2]}, op.attr});
  Op total = op;
  total.kind = OpKind::batch_norm_grad_total;
  total.in.push_back(added_up(builder, sums, op.attr.norm_group, op.name));
  total.out.resize(1);
  builder.add(total);
}

}  // namespace lockstep::plan
