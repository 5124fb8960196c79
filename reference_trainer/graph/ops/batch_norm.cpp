// batch_norm: per channel over (group of samples, height, width) (Ioffe and Szegedy 2015). The group belongs to the
// workload, so no layout splits the batch loop, but one that synchronizes; microbatches take whole groups.
#include "reference_trainer/graph/ops/gradient_helpers.h"
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace batch_norm {

constexpr int8_t kGroup = -1;  // statistics have an axis of groups of samples: no loop of its own

OpLoops nest(const Shape& x) {
  OpLoops result{loops_over(x, Loop::whole), {}};
  result.loops[1].kind = Loop::map;
  return result;
}

OpLoops forward_loops(const Graph& graph, const Op& op) {
  const Shape& x = graph.tensor(op.in[0]).shape;
  OpLoops result = nest(x);
  const auto full = axes_from(0, x.size());
  result.operands = {full, {1}, {1}, {1}, {1}, full, {kGroup, 1}, {kGroup, 1}};
  return result;
}

OpLoops gradient_loops(const Graph& graph, const Op& op) {
  const Shape& x = graph.tensor(op.in[0]).shape;
  OpLoops result = nest(x);
  const auto full = axes_from(0, x.size());
  result.operands = {full, full, {1}, {kGroup, 1}, {kGroup, 1}, full, {1}, {1}};
  return result;
}

void build(Builder& builder, const OpSpec& spec) {
  const TensorId x = builder.named(spec, 0);
  const Shape in = builder.shape(x);
  if (in.size() != 4 && in.size() != 2)
    builder.refuse(spec, "its input must be [batch, channels] or [batch, channels, height, width]");
  Op op{OpKind::batch_norm, spec.name, {x}, {}, {}};
  op.attr.epsilon = spec.number("epsilon", 1e-5);
  op.attr.momentum = spec.number("momentum", 0.1);
  op.attr.norm_group = static_cast<int64_t>(spec.number("norm_group", 0));
  const Shape channels = {in[1]};
  op.in.push_back(builder.parameter(spec.name + ".gamma", channels, spec.init.value_or(Init{"ones", 0})));
  op.in.push_back(builder.parameter(spec.name + ".beta", channels, {"zeros", 0}));
  op.in.push_back(builder.state(spec.name + ".running_mean", channels, {"zeros", 0}));
  op.in.push_back(builder.state(spec.name + ".running_var", channels, {"ones", 0}));
  // At most one group a sample: the first axis is an upper bound, groups beyond the real ones stay unused.
  const Shape statistics = {in[0], in[1]};
  op.out = {builder.activation(spec.name, in), builder.activation(spec.name + ".mean", statistics),
            builder.activation(spec.name + ".rstd", statistics)};
  builder.add(op);
  builder.finish(spec, op.out[0]);
}

constexpr OpRow kRows[] = {
    {OpKind::batch_norm, forward_loops, flops_per_output<8>, build, differentiate_norm<OpKind::batch_norm_grad>,
     "epsilon momentum norm_group init"},
    {OpKind::batch_norm_grad, gradient_loops, flops_per_output<11>, nullptr, nullptr},
};

}  // namespace batch_norm

std::span<const OpRow> batch_norm_rows() { return batch_norm::kRows; }

}  // namespace lockstep::graph::ops
