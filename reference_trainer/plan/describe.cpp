#include "reference_trainer/plan/describe.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference_trainer/graph/cost.h"
#include "reference_trainer/plan/collective/algorithms.h"
#include "reference_trainer/plan/memory/arena.h"

namespace lockstep::plan {
namespace {

/// The automatic choices send what `native` is modelled to send: 2(p-1)/p of the buffer, the least there is.
int64_t sent_by_rank(const std::string& algorithm, int ranks, int64_t bytes) {
  const auto& row = collective::find_algorithm(algorithm == "auto" ? "native" : algorithm);
  return static_cast<int64_t>(row.cost(collective::Operation::all_reduce, ranks, static_cast<double>(bytes)).sent);
}

std::string joined(const std::vector<Axis>& axes) {
  std::string text;
  for (Axis axis : axes) text += fmt::format("{}{}", text.empty() ? "" : ".", text::name(axis));
  return text;
}

/// The line of this kind and axis, made where there is none yet.
ExchangeLine& line_of(std::vector<ExchangeLine>& lines, const std::string& operation, const std::string& axis) {
  for (ExchangeLine& line : lines) {
    if (line.operation == operation && line.axis == axis) return line;
  }
  lines.push_back({operation, 0, 0, 0, axis, "auto", ""});
  return lines.back();
}

/// The exchanges of activations and their gradients, with the samples of the largest microbatch.
void add_exchanges(const Plan& plan, int64_t microbatch, int64_t real_bytes, std::vector<ExchangeLine>& lines) {
  for (const Stage& stage : plan.stages)
    for (const Exchange& exchange : stage.local.exchanges) {
      const graph::Graph& graph = stage.graph();
      const int64_t numbers = std::max(graph::elements(graph.tensor(exchange.in), microbatch),
                                       graph::elements(graph.tensor(exchange.out), microbatch));
      const double sent = sent_by_rank(exchange, plan.mesh, static_cast<double>(numbers * real_bytes));
      if (sent == 0) continue;
      const std::string what = exchange.reduction == Reduction::max ? " maxima" : " activations";
      ExchangeLine& line = line_of(lines, std::string(name(exchange.conversion.kind)) + what,
                                   std::string(text::name(exchange.conversion.axis)));
      line.calls += plan.microbatches;
      line.bytes += plan.microbatches * numbers * real_bytes;
      line.sent += plan.microbatches * static_cast<int64_t>(sent);
      line.why = fmt::format("{} a microbatch, of activations and their gradients", line.calls / plan.microbatches);
    }
}

void add_gradients(const Plan& plan, int64_t real_bytes, std::vector<ExchangeLine>& lines) {
  for (const Bucket& bucket : plan.buckets) {
    int ranks = 1;
    for (Axis axis : bucket.axes) ranks *= plan.mesh.size(axis);
    const auto add = [&](const char* operation, int calls, int64_t sent,
                         const std::string& algorithm) -> ExchangeLine& {
      ExchangeLine& line = line_of(lines, operation, joined(bucket.axes));
      line.algorithm = algorithm;
      line.calls += calls;
      line.bytes += calls * bucket.count * real_bytes;
      line.sent += calls * sent;
      return line;
    };
    const int64_t bytes = bucket.count * real_bytes, shards = bytes * (ranks - 1) / ranks;
    const auto gradients = std::ranges::count(plan.slots, bucket.axes, &Slot::sum);
    const char* plural = plan.buckets.size() == 1 ? "" : "s";
    const std::string why = fmt::format("{} gradients in {} bucket{}", gradients, plan.buckets.size(), plural);
    const int each = plan.scatters_in_backward() ? plan.microbatches : 1;
    if (plan.zero == 0) {
      add("all_reduce gradients", 1, sent_by_rank(plan.algorithm, ranks, bytes), plan.algorithm).why = why;
      continue;
    }
    add("reduce_scatter gradients", each, shards, "auto").why = fmt::format("zero{}: {}", plan.zero, why);
    add("all_gather parameters", plan.zero == 3 ? 2 * each : 1, shards, "auto").why =
        plan.zero == 3 ? "zero3: forward and backward" : fmt::format("zero{}: after the update", plan.zero);
  }
}

std::vector<std::string> layouts_of(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Stage& stage : plan.stages)
    for (int32_t i = 0; i < stage.graph().forward_ops; ++i) {
      const graph::Graph& graph = stage.graph();
      for (graph::TensorId id : graph.ops[static_cast<size_t>(i)].out) {
        lines.push_back(fmt::format("{}: {}", graph.tensor(id).name,
                                    print(stage.local.layouts[static_cast<size_t>(id)], graph.tensor(id))));
      }
    }
  return lines;
}

}  // namespace

int64_t activation_bytes(const graph::Graph& graph, int64_t batch, int64_t real_bytes) {
  std::vector<Block> blocks;
  std::vector<int32_t> block_of(graph.tensors.size(), -1);
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const graph::Op& op = graph.ops[i];
    for (graph::TensorId id : op.out) {
      const graph::Tensor& tensor = graph.tensor(id);
      if (tensor.role != graph::Role::activation) continue;
      block_of[static_cast<size_t>(id)] = static_cast<int32_t>(blocks.size());
      const int64_t bytes =
          elements(tensor, batch) * (tensor.type == graph::Type::index ? int64_t{sizeof(int32_t)} : real_bytes);
      blocks.push_back({bytes, static_cast<int32_t>(i), static_cast<int32_t>(i)});
    }
    for (graph::TensorId id : op.in) {
      const int32_t block = block_of[static_cast<size_t>(id)];
      if (block >= 0) blocks[static_cast<size_t>(block)].last = static_cast<int32_t>(i);
    }
  }
  return plan_arena(blocks).bytes;
}

Description describe(const Plan& plan, int64_t batch, int64_t real_bytes, int optimizer_arrays) {
  Description d;
  d.strategy = text::print(plan.strategy);
  d.ranks = plan.mesh.ranks();
  d.microbatches = plan.microbatches;
  d.batch = batch;
  d.most = share_of(batch, 0, plan.data_count());
  d.fewest = share_of(batch, plan.data_count() - 1, plan.data_count());
  d.parameters = graph::parameter_count(plan.whole);
  d.model_flops = graph::model_flops_per_sample(plan.whole) * batch;
  for (const text::MeshAxis& axis : plan.mesh.axes())
    d.groups.push_back(fmt::format("{} {}", text::name(axis.axis), plan.mesh.print_groups(axis.axis)));
  const int64_t flat = plan.flat_count * real_bytes;
  const int64_t largest_microbatch = (d.most + plan.microbatches - 1) / plan.microbatches;
  add_exchanges(plan, largest_microbatch, real_bytes, d.exchanges);
  add_gradients(plan, real_bytes, d.exchanges);
  const bool scratch = plan.adds_gradients();
  int64_t activations = 0;
  for (size_t k = 0; k < plan.stages.size(); ++k) {
    activations += plan.activation_slots[k] * activation_bytes(plan.stages[k].graph(), largest_microbatch, real_bytes);
  }
  d.memory = {plan.parameters.count() * real_bytes, plan.gradients.count() * real_bytes + (scratch ? flat : 0),
              optimizer_arrays * plan.optimizer.count() * real_bytes, activations};
  d.actions = text::print(plan.actions);
  d.layouts = layouts_of(plan);
  for (const Stage& stage : plan.stages) {
    for (const Exchange& exchange : stage.local.exchanges)
      d.origins.push_back(fmt::format("{}: {}", stage.graph().tensor(exchange.in).name, exchange.why));
  }
  for (const Slot& slot : plan.slots) {
    if (slot.sum.empty()) continue;
    d.origins.push_back(fmt::format("{}: all_reduce of the gradient over {}",
                                    plan.local(slot).graph.tensor(slot.parameter).name, joined(slot.sum)));
  }
  return d;
}

}  // namespace lockstep::plan
