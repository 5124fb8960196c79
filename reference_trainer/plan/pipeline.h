#pragma once

#include <optional>

#include "reference_trainer/plan/plan.h"
#include "reference_trainer/plan/schedule/schedule.h"
#include "reference_trainer/plan/stages/partition.h"

namespace lockstep::plan {

/// The schedule of a strategy's pipeline axis; nothing where there is none. Throws Failure("unsupported") when the
/// schedule cannot be made for these numbers, with the nearest that can.
std::optional<schedule::Schedule> schedule_of(const text::Strategy& strategy);

/// Which weights a microbatch uses, where the schedule has no flush; nothing elsewhere. Without `m` an update has as
/// few microbatches as the rule allows. Throws Failure("unsupported") when it needs more than there are.
std::optional<schedule::Pipeline> stale_weights_of(const text::Strategy& strategy);

/// This rank's stages of a lowered graph, in the order of (direction, stage).
std::vector<Stage> stages_of(const Plan& plan, const LocalGraph& lowered, const schedule::Schedule& schedule,
                             const stages::Partition& partition);

/// The parameters that several stages hold: tied weights, and all of them where stages have replicas.
std::vector<Shared> shared_parameters(const Plan& plan, const schedule::Schedule& schedule,
                                      const stages::Partition& partition);

}  // namespace lockstep::plan
