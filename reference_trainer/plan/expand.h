#pragma once

#include <vector>

#include "reference_trainer/plan/plan.h"

namespace lockstep::plan {

/// A rank's actions of one step without pipeline stages: a forward and a backward a microbatch, then the end of the
/// step: "0F0 0B0 0F1 0B1 0REDUCE 0STEP" (REDUCE only where gradients are exchanged).
std::vector<text::Action> step_actions(int microbatches, bool exchanges);

/// Sets a rank's actions of one step of a pipeline: its list of the schedule, then the end of the step. Without a flush
/// it is the body that the list repeats, with microbatches counted from the step's first one, and what comes before.
void set_pipeline_actions(Plan& plan, bool exchanges);

/// Expands actions to instructions, and counts the memories that they need. With one microbatch the exchange
/// of a bucket starts as soon as its last gradient is there (wait-free backpropagation: Zhang et al. 2017), with
/// several after the last one; REDUCE waits for all of them in order.
void expand(Plan& plan);

}  // namespace lockstep::plan
