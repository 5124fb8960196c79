#include "reference_trainer/plan/peak.h"

#include <algorithm>

#include "reference_trainer/plan/memory/arena.h"

namespace lockstep::plan {
namespace {

using graph::OpKind;

/// What the communication of a stage's graph needs: one piece of memory for the largest exchange that packs, and a copy
/// of each message of a border.
int64_t comm_bytes(const Plan& plan, const Stage& stage, int64_t samples, int64_t real_bytes) {
  int64_t packed = 0, gathered = 0, messages = 0;
  const auto bytes = [&](graph::TensorId id) { return graph::bytes(stage.graph().tensor(id), samples, real_bytes); };
  for (const graph::Op& op : stage.graph().ops) {
    const auto index = static_cast<size_t>(op.attr.exchange);
    if (op.kind == OpKind::gather_shards) gathered = std::max(gathered, plan.buckets[index].count * real_bytes);
    if (op.kind == OpKind::scatter_shards) packed = std::max(packed, plan.buckets[index].count * real_bytes);
    if (op.kind == OpKind::send) {
      for (graph::TensorId id : op.in) messages += bytes(id);
    }
    if (op.kind != OpKind::exchange) continue;
    const Conversion::Kind kind = stage.local.exchanges[index].conversion.kind;
    if (kind == Conversion::reduce_scatter || kind == Conversion::all_gather)
      packed = std::max({packed, bytes(op.in[0]), bytes(op.out[0])});
    if (kind == Conversion::halo || kind == Conversion::halo_sum || kind == Conversion::all_to_all)
      packed = std::max(packed, bytes(op.in[0]) + bytes(op.out[0]));
  }
  // Gathers that begin ahead have memory of their own each.
  return plan.prefetch > 0 ? packed + (plan.prefetch + 1) * gathered + messages : std::max(packed, gathered) + messages;
}

/// What the sum over the owners of one parameter needs: a copy of each owner's part.
int64_t owners_elements(const Plan& plan) {
  int64_t most = 0;
  for (const Shared& shared : plan.shared) {
    for (const Shared::Owner& owner : shared.owners) {
      if (owner.slot < 0) continue;
      const int64_t kept = plan.kept_gradients(plan.slots[static_cast<size_t>(owner.slot)]);
      most = std::max(most, kept * static_cast<int64_t>(shared.owners.size()));
    }
  }
  return most;
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
      blocks.push_back({graph::bytes(tensor, batch, real_bytes), static_cast<int32_t>(i), static_cast<int32_t>(i)});
    }
    for (graph::TensorId id : op.in) {
      const int32_t block = block_of[static_cast<size_t>(id)];
      if (block >= 0) blocks[static_cast<size_t>(block)].last = static_cast<int32_t>(i);
    }
  }
  return plan_arena(blocks).bytes;
}

MemoryPlan peak_memory(const Plan& plan, const Work& work) {
  const int64_t samples = plan.bound_samples(work.batch, 0);  // the first microbatch is the longest
  MemoryPlan memory;
  memory.parameters = plan.parameters.count() * work.real_bytes;
  memory.stashed = (plan.weight_copies - 1) * memory.parameters;
  memory.gradients = (plan.gradients.count() + (plan.adds_gradients() ? plan.flat_count : 0)) * work.real_bytes;
  const int64_t arrays = work.optimizer_arrays * work.real_bytes;
  memory.optimizer =
      arrays * (plan.offloads ? std::min(plan.optimizer.count(), kOffloadWindow) : plan.optimizer.count());
  memory.offloaded = plan.offloads ? arrays * plan.optimizer.count() : 0;
  memory.comm = owners_elements(plan) * work.real_bytes;
  for (size_t k = 0; k < plan.stages.size(); ++k) {
    memory.activations += plan.activation_slots[k] * activation_bytes(plan.stages[k].graph(), samples, work.real_bytes);
    memory.comm += comm_bytes(plan, plan.stages[k], samples, work.real_bytes);
  }
  return memory;
}

}  // namespace lockstep::plan
