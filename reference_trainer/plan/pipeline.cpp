#include "reference_trainer/plan/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/schedule/table.h"
#include "reference_trainer/plan/stages/partition.h"

namespace lockstep::plan {
namespace {

/// Whose rank, and which stage there.
struct Place {
  int coordinate = 0, stage = 0, direction = 0;
  bool operator==(const Place&) const = default;
};

std::vector<Place> places_of(const schedule::Schedule& schedule, int stage) {
  std::vector<Place> places;
  for (int direction = 0; direction < schedule.directions(); ++direction)
    places.push_back(
        {schedule.placement[static_cast<size_t>(direction)][static_cast<size_t>(stage)], stage, direction});
  return places;
}

/// Owners of a parameter add up their gradients as these lie: whatever a sum in one stage would have to bring into one
/// layout first has no place in a pipeline.
void refuse_owners_that_differ(const text::Strategy& strategy, const LocalGraph& lowered,
                               const std::vector<int32_t>& stage_of_op) {
  for (size_t i = 0; i < stage_of_op.size(); ++i) {
    const graph::Op& op = lowered.graph.ops[i];
    if (stage_of_op[i] != stages::kOwnersSum || op.kind != graph::OpKind::exchange) continue;
    const graph::Tensor& gradient = lowered.graph.tensor(op.in.front());
    const std::string name = gradient.of == graph::kNoTensor ? gradient.name : lowered.graph.tensor(gradient.of).name;
    throw Failure("unsupported",
                  fmt::format("{}: the parameter {} has owners on several of {} stages, and their gradients lie "
                              "differently; leave pp or the layout out, or take a workload without tied weights",
                              text::print(strategy), name, strategy.size(Axis::pp)));
  }
}

}  // namespace

std::optional<schedule::Pipeline> stale_weights_of(const text::Strategy& strategy) {
  const text::Term* term = strategy.find_pass("pipedream");
  if (!term) return std::nullopt;
  schedule::Pipeline out;
  if (const std::string* weights = term->find("weights")) out.weights = schedule::weights_of(*weights);
  out.ranks = strategy.size(Axis::pp);
  out.per_update = term->whole("m", schedule::fewest_per_update(out.weights, out.ranks));
  const std::string reason = schedule::why_not(out);
  if (!reason.empty()) throw Failure("unsupported", fmt::format("{}: {}", text::print(strategy), reason));
  return out;
}

std::optional<schedule::Schedule> schedule_of(const text::Strategy& strategy) {
  const int ranks = strategy.size(Axis::pp);
  if (ranks == 1) return std::nullopt;
  for (const schedule::Row& row : schedule::schedules()) {
    const text::Term* term = strategy.find_pass(row.name);
    if (!term) continue;
    schedule::Numbers numbers{ranks, term->whole("m", 1), term->whole("v", 1), 1};
    // Of a run that does not end a few updates more than fill it, so that it repeats itself.
    if (const auto stale = stale_weights_of(strategy)) {
      numbers.per_update = stale->per_update;
      numbers.microbatches = stale->per_update * (ranks + 2);
    }
    const std::string reason = schedule::why_not(row, numbers);
    if (!reason.empty()) throw Failure("unsupported", fmt::format("{}: {}", text::print(strategy), reason));
    return row.generate(numbers);
  }
  throw Failure("usage", fmt::format("{}: its pp axis has no schedule", text::print(strategy)));
}

std::vector<Stage> stages_of(const Plan& plan, const LocalGraph& lowered, const schedule::Schedule& schedule,
                             const stages::Partition& partition) {
  std::vector<int32_t> stage_of_op;
  for (int32_t source : lowered.sources) stage_of_op.push_back(partition.stage_of_op[static_cast<size_t>(source)]);
  refuse_owners_that_differ(plan.strategy, lowered, stage_of_op);
  const int self = plan.mesh.coordinate(plan.rank, Axis::pp);
  std::vector<Stage> mine;
  for (int direction = 0; direction < schedule.directions(); ++direction) {
    const std::vector<int>& placement = schedule.placement[static_cast<size_t>(direction)];
    for (int stage = 0; stage < schedule.stages(); ++stage) {
      const auto s = static_cast<size_t>(stage);
      if (placement[s] != self) continue;
      const Neighbours neighbours{stage > 0 ? placement[s - 1] : -1, s + 1 < placement.size() ? placement[s + 1] : -1};
      mine.push_back(cut_stage(lowered, stage_of_op, stage, direction, neighbours));
    }
  }
  return mine;
}

std::vector<Shared> shared_parameters(const Plan& plan, const schedule::Schedule& schedule,
                                      const stages::Partition& partition) {
  const int self = plan.mesh.coordinate(plan.rank, Axis::pp);
  const auto slot_at = [&](const std::string& name, const Place& place) {
    for (size_t i = 0; i < plan.slots.size(); ++i) {
      const Stage& stage = plan.stages[plan.slots[i].stage];
      if (stage.index == place.stage && stage.direction == place.direction &&
          stage.graph().tensor(plan.slots[i].parameter).name == name)
        return static_cast<int>(i);
    }
    return -1;
  };
  std::vector<Shared> shared;
  for (graph::TensorId id : plan.whole.parameters) {
    std::vector<Place> owners;
    for (int stage = 0; stage < schedule.stages(); ++stage) {
      const std::vector<graph::TensorId>& read = partition.stages[static_cast<size_t>(stage)].parameters;
      if (std::ranges::find(read, id) == read.end()) continue;
      for (const Place& place : places_of(schedule, stage)) owners.push_back(place);
    }
    if (owners.size() < 2) continue;
    Shared entry;
    for (const Place& place : owners) {
      const int slot = place.coordinate == self ? slot_at(plan.whole.tensor(id).name, place) : -1;
      entry.owners.push_back({place.coordinate, slot});
    }
    const bool mine = std::ranges::any_of(entry.owners, [](const Shared::Owner& owner) { return owner.slot >= 0; });
    if (mine) shared.push_back(std::move(entry));
  }
  return shared;
}

}  // namespace lockstep::plan
