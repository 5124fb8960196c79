#pragma once

#include <functional>

#include "reference_trainer/plan/plan.h"

namespace lockstep::train {

/// What a pipeline in order of arrival needs done. A task is a forward or backward of one microbatch; it is named by
/// its first instruction.
struct ArrivalActions {
  /// Begins to take the message that a task's receive op waits for.
  std::function<void(const plan::Instruction& task, const graph::Op& receive)> post;
  std::function<bool(const plan::Instruction& task, const graph::Op& receive)> has_arrived;
  std::function<void(const plan::Instruction&)> execute;
};

/// Runs what a step's body does for its microbatches (AxoNN: Singh and Bhatele 2022): every message of the step is
/// awaited at once, and a rank runs the first task of its list whose message is there. Sums of gradients are then in
/// the order of arrival.
void run_by_arrival(const plan::Plan& plan, const ArrivalActions& actions);

}  // namespace lockstep::train
