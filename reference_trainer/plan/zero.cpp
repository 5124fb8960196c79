#include "reference_trainer/plan/zero.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "adapters/contract/failure.h"

namespace lockstep::plan {
namespace {

using graph::Op;
using graph::OpKind;
using graph::TensorId;

Held shards_of(const Plan& plan) {
  std::vector<Bucket> buckets = plan.buckets;
  std::ranges::sort(buckets, {}, &Bucket::offset);
  Held held{{}, true};
  for (const Bucket& bucket : buckets) {
    const collective::Range shard = plan.shard_of(bucket);
    held.add(bucket.offset + shard.begin, shard.size());
  }
  return held;
}

/// Writes the ops of a graph anew, with gathers and scatters between them.
class Sharding {
 public:
  Sharding(Plan& plan, size_t stage, bool parameters)
      : plan_(plan), stage_(stage), local_(plan.stages[stage].local), graph_(local_.graph), parameters_(parameters) {
    for (size_t b = 0; b < plan.buckets.size(); ++b) {
      if (plan.buckets[b].stage != stage) continue;
      for (const Slot* slot : plan_.slots_of(plan_.buckets[b])) bucket_of_[slot->parameter] = static_cast<int32_t>(b);
    }
  }

  void run() {
    const std::vector<Op> ops = std::move(graph_.ops);
    graph_.ops.clear();
    Stage& stage = plan_.stages[stage_];
    const int32_t forward = graph_.forward_ops, input_end = stage.input_end;
    for (int32_t i = 0; i < static_cast<int32_t>(ops.size()); ++i) {
      if (i == input_end) stage.input_end = static_cast<int32_t>(graph_.ops.size());
      if (i == forward) {
        graph_.forward_ops = static_cast<int32_t>(graph_.ops.size());
        gathered_.clear();
      }
      Op op = ops[static_cast<size_t>(i)];
      if (parameters_) gather_inputs(op);
      graph_.ops.push_back(std::move(op));
      scatter_after(i);
    }
    if (input_end == static_cast<int32_t>(ops.size())) stage.input_end = static_cast<int32_t>(graph_.ops.size());
    for (const Slot& slot : plan_.slots) {
      if (slot.stage != stage_) continue;
      graph_.tensors[static_cast<size_t>(slot.gradient)].role = graph::Role::activation;
    }
  }

 private:
  void gather_inputs(Op& op) {
    for (TensorId& id : op.in) {
      const auto bucket = bucket_of_.find(id);
      if (bucket == bucket_of_.end()) continue;
      if (!gathered_.contains(id)) gather(bucket->second);
      id = gathered_.at(id);
    }
  }

  void gather(int32_t bucket) {
    Op op{OpKind::gather_shards, "gather " + std::to_string(bucket), {}, {}, {}};
    op.attr.exchange = bucket;
    for (const Slot* slot : plan_.slots_of(plan_.buckets[static_cast<size_t>(bucket)])) {
      graph::Tensor whole = graph_.tensor(slot->parameter);
      whole.name += " (gathered)";
      whole.role = graph::Role::activation;
      graph_.tensors.push_back(std::move(whole));
      local_.layouts.push_back(local_.layouts[static_cast<size_t>(slot->parameter)]);
      op.out.push_back(static_cast<TensorId>(graph_.tensors.size()) - 1);
      gathered_[slot->parameter] = op.out.back();
    }
    graph_.ops.push_back(std::move(op));
  }

  void scatter_after(int32_t old_index) {
    for (size_t b = 0; b < plan_.buckets.size(); ++b) {
      if (plan_.buckets[b].stage != stage_ || plan_.buckets[b].ready_after != old_index) continue;
      Op op{OpKind::scatter_shards, "scatter " + std::to_string(b), {}, {}, {}};
      op.attr.exchange = static_cast<int32_t>(b);
      for (const Slot* slot : plan_.slots_of(plan_.buckets[b])) op.in.push_back(slot->gradient);
      graph_.ops.push_back(std::move(op));
    }
  }

  Plan& plan_;
  const size_t stage_;
  LocalGraph& local_;
  graph::Graph& graph_;
  const bool parameters_;
  std::map<TensorId, int32_t> bucket_of_;  ///< by parameter
  std::map<TensorId, TensorId> gathered_;  ///< in this half of the step
};

}  // namespace

const text::Term* shard_term(const text::Strategy& strategy) {
  for (const char* name : {"zero1", "zero2", "zero3", "hsdp"}) {
    if (const text::Term* term = strategy.find_pass(name)) return term;
  }
  return nullptr;
}

int zero_level(const text::Strategy& strategy) {
  const text::Term* term = shard_term(strategy);
  if (!term) return 0;
  return term->name == "hsdp" ? term->whole("level", 3) : term->name.back() - '0';
}

int shard_group_of(const text::Strategy& strategy) {
  const text::Term* hybrid = strategy.find_pass("hsdp");
  if (!hybrid) return 0;
  const int ranks = strategy.size(Axis::dp), group = hybrid->whole("group", ranks);
  int nearest = ranks;
  for (int size = 2; size <= ranks; ++size) {
    if (ranks % size == 0 && std::abs(size - group) < std::abs(nearest - group)) nearest = size;
  }
  if (group != nearest) {
    throw Failure("unsupported", fmt::format("{}: groups of {} do not divide dp{}; the nearest that does is group={}",
                                             text::print(strategy), group, ranks, nearest));
  }
  if (hybrid->whole("level", 3) == 3 && strategy.find_pass("bucket")) {
    throw Failure("unsupported",
                  fmt::format("{}: at level 3 the buckets are the layers; leave bucket out, or take level=2",
                              text::print(strategy)));
  }
  return group;
}

void shard(Plan& plan, int level) {
  plan.zero = level;
  if (level >= 1) plan.optimizer = shards_of(plan);
  if (level >= 2) plan.gradients = plan.optimizer;
  if (level >= 3) plan.parameters = plan.optimizer;
  for (size_t stage = 0; level >= 2 && stage < plan.stages.size(); ++stage) Sharding(plan, stage, level >= 3).run();
}

}  // namespace lockstep::plan
