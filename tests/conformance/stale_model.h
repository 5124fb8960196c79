#pragma once

#include "tests/conformance/training_run.h"

namespace lockstep::conformance {

/// What an asynchronous pipeline should do, on one rank and with nothing at once: each microbatch goes through the
/// whole model, with each stage's parameters as they were after as many updates as the rule of weights says. The
/// versions come from walking the order of every stage, forward by forward, and not from the planner's formulas. In
/// fp64 on the oracle's kernels; `stretch` as in Setting::train. The stages are those that the strategy's plan cuts.
TrainingRun train_stale_model(const Setting& setting, const std::string& strategy, int64_t stretch = kWholeRun);

}  // namespace lockstep::conformance
