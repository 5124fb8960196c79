#pragma once

#include <vector>

#include "reference_trainer/plan/plan.h"

namespace lockstep::plan {

/// A rank's actions of one step without pipeline stages: a forward and a backward a microbatch, then the end of the
/// step: "0F0 0B0 0F1 0B1 0REDUCE 0STEP" (REDUCE only where gradients are exchanged).
std::vector<text::Action> step_actions(int microbatches, bool exchanges);

/// A rank's actions of one step of a pipeline: its list of the schedule, then the end of the step.
std::vector<text::Action> pipeline_actions(const Plan& plan, bool exchanges);

/// Expands actions to instructions, and counts the activation memories that they need. With one microbatch the exchange
/// of a bucket starts as soon as its last gradient is there (wait-free backpropagation: Zhang et al. 2017), with
/// several after the last one; REDUCE waits for all of them in order.
std::vector<Instruction> expand(Plan& plan);

}  // namespace lockstep::plan
