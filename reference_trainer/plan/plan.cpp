#include "reference_trainer/plan/plan.h"

#include <algorithm>
#include <charconv>

#include "adapters/contract/failure.h"
#include "reference_trainer/graph/fuse.h"
#include "reference_trainer/graph/gradients.h"
#include "reference_trainer/plan/buckets.h"
#include "reference_trainer/plan/expand.h"
#include "reference_trainer/plan/rules/rules.h"
#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/plan/text/quantity.h"
#include "reference_trainer/plan/zero.h"

namespace lockstep::plan {
namespace {

constexpr int64_t kDefaultBucketBytes = 25'000'000;

void refuse_unsupported(const text::Strategy& strategy) {
  const auto refusals = terms::check(strategy);
  if (refusals.empty()) return;
  const terms::Refusal& first = refusals.front();
  throw Failure(first.kind, fmt::format("{}: {}: {}; the nearest that runs is {}", text::print(strategy), first.term,
                                        first.reason, first.nearest));
}

int microbatches_of(const text::Strategy& strategy) {
  const text::Term* accum = strategy.find_pass("accum");
  if (!accum) return 1;
  const std::string& m = *accum->find("m");
  int value = 1;
  std::from_chars(m.data(), m.data() + m.size(), value);
  return value;
}

/// Microbatches cut the samples of a step as ranks do, so a statistic over samples would change with their number.
void refuse_cut_groups(const graph::Graph& graph, const text::Strategy& strategy, int microbatches) {
  if (microbatches == 1) return;
  for (const graph::Op& op : graph.ops) {
    if (op.kind != graph::OpKind::batch_norm) continue;
    const std::string group =
        op.attr.norm_group ? fmt::format("{} samples", op.attr.norm_group) : std::string("the whole batch");
    throw Failure("unsupported", fmt::format("{}: {} microbatches would cut the samples of batch_norm \"{}\", but its "
                                             "norm_group is {}; leave accum out, or take a workload without that op",
                                             text::print(strategy), microbatches, op.name, group));
  }
}

int64_t bucket_bytes_of(const text::Strategy& strategy) {
  const text::Term* bucket = strategy.find_pass("bucket");
  return bucket ? text::parse_bytes(*bucket->find("")) : kDefaultBucketBytes;
}

}  // namespace

std::vector<Axis> Plan::model_axes() const {
  std::vector<Axis> axes;
  for (const text::MeshAxis& entry : mesh.axes()) {
    if (entry.axis != Axis::dp && entry.size > 1) axes.push_back(entry.axis);
  }
  return axes;
}

bool Plan::is_first_holder(const Slot& slot, bool sharded) const {
  return std::ranges::all_of(model_axes(), [&](Axis axis) {
    return mesh.coordinate(rank, axis) == 0 || contains(slot.split, axis) || (sharded && contains(slot.sum, axis));
  });
}

std::vector<const Slot*> Plan::slots_of(const Bucket& bucket) const {
  std::vector<const Slot*> inside;
  for (const Slot& slot : slots) {
    if (slot.offset >= bucket.offset && slot.offset < bucket.offset + bucket.count) inside.push_back(&slot);
  }
  return inside;
}

collective::Range Plan::shard_of(const Bucket& bucket) const {
  const std::vector<int> members = mesh.group(rank, bucket.axes);
  const auto self = std::ranges::find(members, rank) - members.begin();
  return collective::chunk_range(bucket.count, static_cast<int>(members.size()), static_cast<int>(self));
}

std::vector<Axis> Plan::holder_axes(bool sharded) const {
  std::vector<Axis> axes = model_axes();
  if (sharded) axes.push_back(Axis::dp);
  return axes;
}

Plan make_plan(const graph::Graph& forward, const text::Strategy& strategy, const PlanOptions& options) {
  refuse_unsupported(strategy);
  Plan plan;
  plan.strategy = strategy;
  plan.mesh = Mesh(strategy.axes);
  plan.rank = options.rank;
  plan.whole = graph::differentiate(forward);
  plan.microbatches = microbatches_of(strategy);
  refuse_cut_groups(plan.whole, strategy, plan.microbatches);
  plan.local = lower(plan.whole, rules_of(strategy), plan.mesh, plan.rank);
  // After lowering: an activation may follow only what is not a partial sum.
  if (options.fuse) plan.local.graph = graph::fuse_activations(std::move(plan.local.graph));
  plan.slots = lay_out(plan.local);
  plan.flat_count = flat_count(plan.slots);
  if (strategy.collective) plan.algorithm = strategy.collective->name;
  const int level = zero_level(strategy);
  plan.buckets =
      level == 3 ? cut_by_layer(plan) : cut_buckets(plan.slots, bucket_bytes_of(strategy), options.real_bytes);
  plan.parameters = plan.gradients = plan.optimizer = Held::whole(plan.flat_count);
  shard(plan, level);
  plan.actions = step_actions(plan.microbatches, !plan.buckets.empty() && level < 2);
  plan.body = expand(plan);
  return plan;
}

}  // namespace lockstep::plan
