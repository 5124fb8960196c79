#pragma once

#include <cstdint>
#include <span>

#include "profiler/activity/activity.h"
#include "reference_trainer/plan/plan.h"

namespace lockstep::plan {

/// The planned timeline of one step of `batch` samples, all ranks: what the plan says would happen on a machine whose
/// compute takes time in proportion to FLOPs and bytes, and whose exchanges take time in proportion to bytes. Before a
/// calibration these are proportions only, so everything is scaled until the longest rank takes `step_ns`. Origin:
/// planned. Exchanges lie on a track of their own, one after the other; a rank waits for them where its program says.
/// Of a pipeline it is the schedule, with stages in proportion to their FLOPs; without a flush a run of a few steps,
/// each of `step_ns` once the pipeline is full; with its `places` (plan_places) forwards and backwards tell what they
/// send to whom. Other exchanges have no peers: which algorithm does them is decided when it runs.
activity::Trace planned_timeline(const Plan& plan, int64_t batch, int64_t real_bytes, int64_t step_ns,
                                 std::span<const Plan> places = {});

}  // namespace lockstep::plan
