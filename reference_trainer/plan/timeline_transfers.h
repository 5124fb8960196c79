#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/activity/activity.h"
#include "reference_trainer/plan/plan.h"
#include "reference_trainer/plan/schedule/simulate.h"

namespace lockstep::plan {

/// What a rank sends at the end of an action of its pipeline and gets at its begin, as planned. `places`: the plan of
/// one rank of each coordinate of the pipeline axis. `activity` is left to the caller. Empty for a microbatch without
/// samples on this rank.
std::vector<activity::Transfer> planned_transfers(std::span<const Plan> places, int rank,
                                                  const schedule::Interval& action, int64_t batch, int64_t real_bytes);

/// The places of a strategy's pipeline; none without one. Pure; throws as make_plan does.
std::vector<Plan> plan_places(const graph::Graph& forward, const text::Strategy& strategy, const PlanOptions& options);

}  // namespace lockstep::plan
