// The loss over a split vocabulary: the ranks agree on each position's maximum and on three sums; the logits are never
// gathered (Shoeybi et al. 2019, section 3).
#include "reference_trainer/plan/expansions/expansions.h"

namespace lockstep::plan {

void expand_cross_entropy(LocalBuilder& builder, graph::Op op, const std::vector<Axis>& axes) {
  const graph::TensorId logits = op.in[0], labels = op.in[1];
  const graph::Tensor& label = builder.tensor(labels);
  const graph::Shape rows = label.part.is_whole() ? label.shape : label.part.whole;
  const Layout of_rows = builder.layout(labels);

  graph::TensorId top = builder.add(op.name + ".max", rows, of_rows);
  builder.add({graph::OpKind::cross_entropy_max, op.name + ".max", {logits}, {top}, {}});
  for (Axis axis : axes) top = builder.max_over(top, axis, op.name);

  graph::Shape three = rows;
  three.push_back({graph::Dim::gate, 3});
  Layout wanted = of_rows;
  wanted.split.emplace_back();
  Layout partial = wanted;
  partial.partial = axes;
  graph::TensorId sums = builder.add(op.name + ".sums", three, partial);
  builder.add({graph::OpKind::cross_entropy_sums, op.name + ".sums", {logits, labels, top}, {sums}, {}});
  sums = builder.convert(sums, wanted, op.name);
  graph::Op total{graph::OpKind::cross_entropy_total, op.name, {top, sums}, op.out, op.attr};
  if (op.in.size() > 2) total.in.push_back(op.in[2]);
  builder.add(total);
}

}  // namespace lockstep::plan
