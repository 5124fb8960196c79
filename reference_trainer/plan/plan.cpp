#include "reference_trainer/plan/plan.h"

#include <charconv>

#include "adapters/contract/failure.h"
#include "adapters/contract/invariant.h"
#include "reference_trainer/graph/fuse.h"
#include "reference_trainer/graph/gradients.h"
#include "reference_trainer/plan/buckets.h"
#include "reference_trainer/plan/expand.h"
#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/plan/text/quantity.h"

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

Plan make_plan(const graph::Graph& forward, const text::Strategy& strategy, const PlanOptions& options) {
  refuse_unsupported(strategy);
  graph::Graph graph = graph::differentiate(forward);
  if (options.fuse) graph = graph::fuse_activations(std::move(graph));

  Plan plan;
  plan.strategy = strategy;
  plan.mesh = Mesh(strategy.axes);
  plan.local = lower(graph, rules_of(strategy), plan.mesh);
  plan.slots = lay_out(graph);
  plan.flat_count = flat_count(plan.slots);
  plan.microbatches = microbatches_of(strategy);
  refuse_cut_groups(graph, strategy, plan.microbatches);
  if (strategy.collective) plan.algorithm = strategy.collective->name;
  for (const Exchange& exchange : plan.local.exchanges) {
    // Under dp these are sums of gradients and metrics: what buckets and the evaluation carry.
    const graph::Role role = graph.tensor(exchange.tensor).role;
    LOCKSTEP_INVARIANT(exchange.conversion.kind == Conversion::all_reduce &&
                           (role == graph::Role::gradient || role == graph::Role::metric),
                       "{}: {}", exchange.why, name(exchange.conversion.kind));
  }
  if (plan.mesh.ranks() > 1) plan.buckets = cut_buckets(plan.slots, bucket_bytes_of(strategy), options.real_bytes);
  plan.actions = step_actions(plan.microbatches, !plan.buckets.empty());
  plan.body = expand(plan);
  return plan;
}

}  // namespace lockstep::plan
