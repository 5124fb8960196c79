#include "reference_trainer/plan/timeline_transfers.h"

namespace lockstep::plan {
namespace {

using activity::Transfer;
using schedule::ActionKind;

/// Forward crosses the borders forward; backward, or its half that makes the input's gradients, the others. The first
/// stage has no such half: its weights' gradients begin with what it gets.
bool crosses(const Border& border, ActionKind action, int stage) {
  if (!border.backward) return action == ActionKind::F;
  return action == ActionKind::B || action == (stage == 0 ? ActionKind::W : ActionKind::I);
}

}  // namespace

std::vector<Transfer> planned_transfers(std::span<const Plan> places, int rank, const schedule::Interval& action,
                                        int64_t batch, int64_t real_bytes) {
  std::vector<Transfer> out;
  const Plan& plan = places[static_cast<size_t>(action.rank)];
  const int64_t samples = plan.samples_of(batch, action.microbatch, plan.mesh.data_index(rank)).size();
  const std::vector<int> along = plan.mesh.group(rank, Axis::pp);
  for (const Stage& stage : plan.stages) {
    const int direction = plan.schedule->direction[static_cast<size_t>(action.microbatch)];
    if (samples == 0 || stage.index != action.stage || stage.direction != direction) continue;
    for (const graph::Op& op : stage.graph().ops) {
      const bool sends = op.kind == graph::OpKind::send;
      if (!sends && op.kind != graph::OpKind::receive) continue;
      const Border& border = stage.borders[static_cast<size_t>(op.attr.exchange)];
      if (!crosses(border, action.kind, stage.index)) continue;
      int64_t bytes = 0;
      for (const graph::TensorId id : sends ? op.in : op.out)
        bytes += graph::bytes(stage.graph().tensor(id), samples, real_bytes);
      out.push_back({sends ? Transfer::send : Transfer::recv, 0, along[static_cast<size_t>(border.peer)],
                     static_cast<int32_t>(crossing(border, action.microbatch, plan.schedule->stages())), bytes});
    }
  }
  return out;
}

std::vector<Plan> plan_places(const graph::Graph& forward, const text::Strategy& strategy, const PlanOptions& options) {
  std::vector<Plan> out;
  const Mesh mesh(strategy.axes);
  if (mesh.size(Axis::pp) < 2) return out;
  for (const int rank : mesh.group(0, Axis::pp)) {
    PlanOptions of_place = options;
    of_place.rank = rank;
    out.push_back(make_plan(forward, strategy, of_place));
  }
  return out;
}

}  // namespace lockstep::plan
