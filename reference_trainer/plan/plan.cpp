#include "reference_trainer/plan/plan.h"

#include <algorithm>
#include <numeric>

#include "adapters/contract/failure.h"
#include "reference_trainer/graph/cost.h"
#include "reference_trainer/graph/fuse.h"
#include "reference_trainer/graph/gradients.h"
#include "reference_trainer/graph/loops.h"
#include "reference_trainer/plan/buckets.h"
#include "reference_trainer/plan/choose.h"
#include "reference_trainer/plan/cut_choice.h"
#include "reference_trainer/plan/expand.h"
#include "reference_trainer/plan/mixed.h"
#include "reference_trainer/plan/partition_checkpoints.h"
#include "reference_trainer/plan/pipeline.h"
#include "reference_trainer/plan/prefetch.h"
#include "reference_trainer/plan/recompute.h"
#include "reference_trainer/plan/rules/rules.h"
#include "reference_trainer/plan/schedule/transfers.h"
#include "reference_trainer/plan/stages/partition.h"
#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/plan/text/quantity.h"
#include "reference_trainer/plan/zero.h"

namespace lockstep::plan {
namespace {

constexpr int64_t kDefaultBucketBytes = 25'000'000;

int microbatches_of(const text::Strategy& strategy) {
  const text::Term* accum = strategy.find_pass("accum");
  return accum ? accum->whole("m", 1) : 1;
}

[[noreturn]] void refuse_microbatches(const Plan& plan, const graph::Op& op, const std::string& why,
                                      const std::string& instead = "the nearest legal number is 1") {
  throw Failure(
      "unsupported",
      fmt::format("{}: {} microbatches of {} \"{}\": {}; {}, or take a workload without that op",
                  text::print(plan.strategy), plan.microbatches, graph::name(op.kind), op.name, why, instead));
}

/// What a norm's statistics keep of the samples of a step: whole groups, one after the other.
void check_norm_groups(const Plan& plan, const graph::Op& op) {
  if (op.attr.norm_group == 0) refuse_microbatches(plan, op, "its " + group_of_samples(op) + ", which cannot be cut");
  if (!plan.schedule) return;
  const std::string instead = fmt::format("1f1b:m={} takes them in order", plan.microbatches),
                    rule = "its running statistics take the groups of a step one after the other, and ";
  if (plan.by_arrival())
    refuse_microbatches(plan, op, rule + "in order of arrival no stage has a fixed order", instead);
  if (const int replicas = plan.schedule->directions(); replicas > 1) {
    refuse_microbatches(
        plan, op,
        rule + fmt::format("under {} each of {} stages has {} replicas, each with {} of {} microbatches",
                           plan.schedule->name, plan.schedule->stages(), replicas, plan.microbatches / replicas,
                           plan.microbatches),
        instead);
  }
}

/// Of a group as many lie with each rank that samples are dealt out to; where they do not divide it lowering refuses.
int64_t group_of_a_share(const Plan& plan, int64_t group) {
  return group % plan.data_count() == 0 ? group / plan.data_count() : group;
}

/// Microbatches cut the samples of a step as ranks do, so what an op makes of several samples together would change
/// with their number: they take whole groups of a norm. Returns how many samples stay together.
int64_t samples_together(const Plan& plan) {
  int64_t unit = 1;
  if (plan.microbatches == 1) return unit;
  for (const graph::Op& op : plan.whole.ops) {
    const std::string group = group_of_samples(op);
    if (group.empty() || graph::loops_of(plan.whole, op).loops.front().kind != graph::Loop::whole) continue;
    if (graph::forward_of(op.kind) != graph::OpKind::batch_norm)
      refuse_microbatches(plan, op, "it takes samples together: its " + group);
    check_norm_groups(plan, op);
    unit = std::lcm(unit, group_of_a_share(plan, op.attr.norm_group));
  }
  return unit;
}

int64_t bucket_bytes_of(const text::Strategy& strategy) {
  const text::Term* bucket = strategy.find_pass("bucket");
  return bucket ? text::parse_bytes(*bucket->find("")) : kDefaultBucketBytes;
}

std::vector<Bucket> buckets_of(const Plan& plan, int level, int64_t bucket_bytes, int64_t real_bytes) {
  if (level == 3) return cut_by_layer(plan);
  return level == 2 ? cut_for_shards(plan, bucket_bytes, real_bytes)
                    : cut_buckets(plan.slots, bucket_bytes, real_bytes);
}

size_t parameter_named(const graph::Graph& whole, const std::string& name) {
  const auto found =
      std::ranges::find_if(whole.parameters, [&](graph::TensorId id) { return whole.tensor(id).name == name; });
  return static_cast<size_t>(found - whole.parameters.begin());
}

void fuse(Stage& stage) {
  const int32_t before = stage.local.graph.forward_ops;
  stage.local.graph = graph::fuse_activations(std::move(stage.local.graph));
  stage.input_end -= before - stage.local.graph.forward_ops;
}

std::vector<schedule::Times> stage_costs(const graph::Graph& whole, const stages::Partition& partition) {
  std::vector<schedule::Times> costs(partition.stages.size(), {0, 0, 0});
  const auto add = [&](const std::vector<int32_t>& ops, double& into) {
    for (int32_t op : ops) into += static_cast<double>(graph::flops(whole, whole.ops[static_cast<size_t>(op)], 1));
  };
  for (size_t s = 0; s < costs.size(); ++s) {
    add(partition.stages[s].forward, costs[s].forward);
    add(partition.stages[s].input_gradient, costs[s].input);
    add(partition.stages[s].weight_gradient, costs[s].weight);
  }
  return costs;
}

/// Of what is exchanged along the batch, or has a row for each of its groups, the ranks of one axis have as much.
std::vector<Axis> axes_that_move_samples(const LocalGraph& local) {
  std::vector<Axis> axes;
  for (const Exchange& exchange : local.exchanges) {
    const Axis axis = exchange.conversion.axis;
    const bool along = deals_samples(axis) && graph::has_batch(local.graph.tensor(exchange.in).shape);
    if (along && !contains(axes, axis)) axes.push_back(axis);
  }
  return axes;
}

bool splits_parameters(const LocalGraph& local, Axis axis) {
  return std::ranges::any_of(local.graph.parameters, [&](graph::TensorId id) {
    return std::ranges::any_of(local.layouts[static_cast<size_t>(id)].split,
                               [&](const std::vector<Axis>& split) { return contains(split, axis); });
  });
}

/// Shards are of what is summed over dp.
void refuse_shards_of_what_is_not_summed(const Plan& plan, const LocalGraph& lowered, int level) {
  if (level == 0) return;
  const std::vector<graph::TensorId> gradients = graph::parameter_gradients(lowered.graph);
  const auto unsummed = std::ranges::count_if(gradients, [&](graph::TensorId id) {
    return !contains(lowered.layouts[static_cast<size_t>(id)].partial, Axis::dp);
  });
  if (unsummed == 0) return;
  const text::Term* table = plan.strategy.find_pass("layout");
  const std::string layout = table ? text::print(*table) : "these layouts",
                    shards = text::print(*shard_term(plan.strategy));
  throw Failure(
      "unsupported",
      fmt::format("{}: {} shards what is summed over dp, but with {} the gradients of {} of {} parameters are "
                  "whole where they are made; leave {} or {} out",
                  text::print(plan.strategy), shards, layout, unsummed, gradients.size(), shards, layout));
}

/// Each rank decides its order alone, so nothing inside forward and backward may need another rank of the same stage.
void refuse_groups_by_arrival(const Plan& plan, int level) {
  if (!plan.by_arrival()) return;
  for (const text::MeshAxis& entry : plan.mesh.axes()) {
    const bool exchanges =
        entry.axis == Axis::dp ? level >= 2 || contains(plan.moves_samples, Axis::dp) : entry.axis != Axis::pp;
    if (entry.size == 1 || !exchanges) continue;
    throw Failure("unsupported",
                  fmt::format("{}: in order of arrival each rank chooses its microbatch alone, but the {} ranks of {} "
                              "exchange something in every forward or backward and must take the same; 1f1b has a "
                              "fixed order",
                              text::print(plan.strategy), entry.size, text::name(entry.axis)));
  }
}

/// Several versions of the weights are in use at once, and no step has an end at which all stages could agree.
void refuse_with_stale_weights(const Plan& plan, int level) {
  if (!plan.stale) return;
  const std::string strategy = text::print(plan.strategy);
  const std::string_view rule = schedule::name(plan.stale->weights);
  if (level > 0) {
    const text::Term& term = *shard_term(plan.strategy);
    throw Failure(
        "unsupported",
        fmt::format("{}: {} gathers one version of the weights, but {} microbatches are in flight at the first "
                    "of {} stages without a flush, on versions of their own; leave {} out, or take 1f1b:m={}",
                    strategy, text::print(term), plan.stale->ranks, plan.stale->ranks, text::print(term),
                    plan.stale->ranks));
  }
  if (!plan.control_reaches_all()) {
    throw Failure(
        "unsupported",
        fmt::format("{}: without a flush the {} ranks of dp hear of a loss that is not finite in the exchange "
                    "of their gradients, and under this layout stage {} has none; take 1f1b:m={}",
                    strategy, plan.mesh.size(Axis::dp), plan.stages.front().index, plan.stale->ranks));
  }
  if (plan.predicts() && plan.strategy.find_pass("recompute")) {
    throw Failure("unsupported",
                  fmt::format("{}: forward runs on predicted weights and backward on the newest, so what "
                              "backward makes again would differ from what forward made; leave recompute "
                              "out, or take weights=stash",
                              strategy));
  }
  if (plan.shared.empty()) return;
  const auto& owners = plan.shared.front().owners;
  const auto mine = std::ranges::find_if(owners, [](const Shared::Owner& owner) { return owner.slot >= 0; });
  const Slot& slot = plan.slots[static_cast<size_t>(mine->slot)];
  throw Failure(
      "unsupported",
      fmt::format("{}: parameter {} has {} owners along the pipeline, on stages that are up to {} updates "
                  "apart with weights={}, so its gradients cannot be added up without a flush; take 1f1b:m={}, "
                  "or a workload without tied weights",
                  strategy, plan.local(slot).graph.tensor(slot.parameter).name, owners.size(),
                  (plan.stale->ranks - 1 + plan.stale->per_update - 1) / plan.stale->per_update, rule,
                  plan.stale->ranks));
}

/// A prediction reads the whole velocity before every forward.
void refuse_offloaded_velocity(const Plan& plan) {
  if (!plan.offloads || !plan.predicts()) return;
  throw Failure("unsupported",
                fmt::format("{}: weights=predict reads the velocity in each of {} forwards of a step, and "
                            "offload keeps it on disk; leave offload out, or take weights=stash",
                            text::print(plan.strategy), plan.microbatches));
}

/// The transport's own all-reduce is one over all ranks of a launch.
void refuse_native_of_part(const Plan& plan) {
  if (plan.algorithm != "native" || plan.zero > 0) return;
  for (const Bucket& bucket : plan.buckets) {
    const size_t members = plan.mesh.group(plan.rank, bucket.axes).size();
    if (static_cast<int>(members) == plan.mesh.ranks()) continue;
    throw Failure("unsupported", fmt::format("{}: native is for all {} ranks at once, but gradients are summed over "
                                             "{} of them; leave @native out, or take @ring",
                                             text::print(plan.strategy), plan.mesh.ranks(), members));
  }
}

}  // namespace

std::vector<Axis> Plan::model_axes() const {
  std::vector<Axis> axes;
  for (const text::MeshAxis& entry : mesh.axes()) {
    if ((entry.axis != Axis::dp || splits_over_dp) && entry.size > 1) axes.push_back(entry.axis);
  }
  return axes;
}

int64_t Plan::bound_share(int64_t samples) const {
  // The first rank of the group has as many as any.
  return share_of(samples, mesh.data_index(mesh.group(rank, moves_samples).front()), data_count());
}

int64_t Plan::bound_samples(int64_t step_samples, int64_t microbatch) const {
  return cut_share(bound_share(step_samples), microbatch).size();
}

bool Plan::control_reaches_all() const {
  const auto control =
      std::ranges::find_if(buckets, [&](const Bucket& bucket) { return bucket.offset + bucket.count == flat_count; });
  return std::ranges::none_of(kSampleAxes, [&](Axis axis) {
    return mesh.size(axis) > 1 && (control == buckets.end() || !contains(control->axes, axis));
  });
}

bool Plan::tells_apart() const {
  if (zero > 0) return true;
  return schedule ? flushes() : !control_reaches_all();
}

bool Plan::is_first_holder(const Slot& slot, bool sharded) const {
  if (sharded && shard_group > 0 && mesh.coordinate(rank, Axis::dp) >= shard_group) return false;
  for (const Shared& entry : shared) {
    const auto own = std::ranges::find_if(entry.owners, [&](const Shared::Owner& owner) {
      return owner.slot >= 0 && &slots[static_cast<size_t>(owner.slot)] == &slot;
    });
    if (own != entry.owners.end() && own != entry.owners.begin()) return false;
  }
  return std::ranges::all_of(model_axes(), [&](Axis axis) {
    return axis == Axis::pp || mesh.coordinate(rank, axis) == 0 || contains(slot.split, axis) ||
           (sharded && contains(slot.sum, axis));
  });
}

collective::Range Plan::samples_of(int64_t step_samples, int64_t microbatch, int data_index) const {
  const int64_t share = share_of(step_samples, data_index, data_count());
  if (samples_together == 1) return cut_share(share, microbatch);
  // A rank whose share ends before the last group does has as many groups as the others: of that one fewer, or none.
  const collective::Range range = cut_share(bound_share(step_samples), microbatch);
  return {std::min(range.begin, share), std::min(range.end, share)};
}

int64_t Plan::kept_gradients(const Slot& slot) const { return gradients.count_within(slot.offset, slot.count); }

int64_t Plan::first_microbatch(size_t stage) const {
  if (!schedule) return 0;
  return std::ranges::find(schedule->direction, stages[stage].direction) - schedule->direction.begin();
}

collective::Range Plan::cut_share(int64_t share, int64_t microbatch) const {
  const auto part = static_cast<int>(microbatch % microbatches);
  return {microbatch_begin(share, part, microbatches, samples_together),
          microbatch_begin(share, part + 1, microbatches, samples_together)};
}

std::vector<const Slot*> Plan::slots_of(const Bucket& bucket) const {
  std::vector<const Slot*> inside;
  for (const Slot& slot : slots) {
    if (slot.offset >= bucket.offset && slot.offset < bucket.offset + bucket.count) inside.push_back(&slot);
  }
  return inside;
}

std::vector<int> Plan::shard_members(const Bucket& bucket) const {
  std::vector<int> members = mesh.group(rank, bucket.axes);
  if (shard_group == 0) return members;
  std::erase_if(members, [&](int other) {
    return mesh.coordinate(other, Axis::dp) / shard_group != mesh.coordinate(rank, Axis::dp) / shard_group;
  });
  return members;
}

std::vector<int> Plan::replica_members() const {
  std::vector<int> members = mesh.group(rank, Axis::dp);
  std::erase_if(members, [&](int other) {
    return mesh.coordinate(other, Axis::dp) % shard_group != mesh.coordinate(rank, Axis::dp) % shard_group;
  });
  return members;
}

collective::Range Plan::shard_of(const Bucket& bucket) const {
  const std::vector<int> members = shard_members(bucket);
  const auto self = std::ranges::find(members, rank) - members.begin();
  return collective::chunk_range(bucket.count, static_cast<int>(members.size()), static_cast<int>(self));
}

std::vector<Axis> Plan::holder_axes(bool sharded) const {
  std::vector<Axis> axes = model_axes();
  if (sharded && !contains(axes, Axis::dp)) axes.push_back(Axis::dp);
  return axes;
}

Plan make_plan(const graph::Graph& forward, const text::Strategy& strategy, const PlanOptions& options) {
  terms::refuse_unsupported(strategy);
  Plan plan;
  plan.strategy = strategy;
  plan.mesh = Mesh(strategy.axes);
  plan.rank = options.rank;
  plan.storage = storage_of(strategy);
  plan.whole = graph::differentiate(forward);
  mark_storage(plan.whole, plan.storage);
  plan.microbatches = microbatches_of(strategy);
  plan.samples_together = samples_together(plan);
  const std::vector<LayoutRule> rules = rules_of(strategy);
  refuse_unknown_layers(plan.whole, rules);
  LocalGraph lowered = lower(plan.whole, rules, plan.mesh, plan.rank);
  keep_sums_real(lowered);
  plan.moves_samples = axes_that_move_samples(lowered);
  plan.splits_over_dp = splits_parameters(lowered, Axis::dp);
  refuse_shards_of_what_is_not_summed(plan, lowered, zero_level(strategy));
  stages::Partition partition;
  plan.schedule = schedule_of(strategy);
  if (plan.schedule) {
    plan.stale = stale_weights_of(strategy);
    plan.microbatches = plan.stale ? plan.stale->per_update : plan.schedule->numbers.microbatches;
    plan.samples_together = samples_together(plan);
    partition = stages::partition(plan.whole, cut_of(plan.whole, strategy, *plan.schedule, options.real_bytes));
    plan.stages = stages_of(plan, lowered, *plan.schedule, partition);
    plan.stage_costs = stage_costs(plan.whole, partition);
    plan.schedule = schedule::insert_transfers(*plan.schedule);
  } else {
    plan.stages = {cut_stage(lowered, std::vector<int32_t>(lowered.sources.size(), 0), 0, 0, {})};
  }
  // After lowering: an activation may follow only what is not a partial sum.
  if (options.fuse) {
    for (Stage& stage : plan.stages) fuse(stage);
  }
  for (Stage& stage : plan.stages) recompute(stage, strategy);
  if (strategy.find_pass("partition_activations")) partition_checkpoints(plan);
  for (Stage& stage : plan.stages) write_casts(stage, plan.storage);
  plan.slots = lay_out(plan.stages);
  for (Slot& slot : plan.slots)
    slot.index = parameter_named(plan.whole, plan.local(slot).graph.tensor(slot.parameter).name);
  plan.flat_count = flat_count(plan.slots);
  if (strategy.collective) plan.algorithm = strategy.collective->name;
  const int level = zero_level(strategy);
  plan.shard_group = shard_group_of(strategy);
  if (plan.schedule) plan.shared = shared_parameters(plan, *plan.schedule, partition);
  plan.buckets = buckets_of(plan, level, bucket_bytes_of(strategy), options.real_bytes);
  plan.parameters = plan.gradients = plan.optimizer = Held::whole(plan.flat_count);
  refuse_groups_by_arrival(plan, level);
  refuse_with_stale_weights(plan, level);
  shard(plan, level);
  plan.offloads = strategy.find_pass("offload") != nullptr;
  refuse_offloaded_velocity(plan);
  plan.prefetch = prefetch_of(strategy);
  if (plan.prefetch > 0) begin_gathers_ahead(plan);
  refuse_native_of_part(plan);
  const bool exchanges = (!plan.buckets.empty() && level < 2) || !plan.shared.empty() || plan.has_shard_replicas();
  if (plan.schedule) {
    set_pipeline_actions(plan, exchanges);
  } else {
    plan.actions = step_actions(plan.microbatches, exchanges);
  }
  expand(plan);
  return plan;
}

}  // namespace lockstep::plan
