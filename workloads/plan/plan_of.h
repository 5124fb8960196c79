#pragma once

#include <string>
#include <vector>

#include "reference_trainer/plan/describe.h"
#include "reference_trainer/plan/terms/recipe.h"
#include "reference_trainer/plan/work.h"
#include "workloads/data/workload.h"

namespace lockstep::workloads {

/// What of its recipe decides how much a plan sends and keeps.
plan::Work work_of(const Workload& workload);

/// What of a recipe a strategy may not go with.
terms::RecipeTraits traits_of(const Recipe& recipe);

/// What a strategy does in a step of the workload. Throws Failure: "usage" (the strategy's text), "unsupported" (the
/// strategy cannot be, or not with this workload, with the nearest that can).
plan::Description describe(const Workload& workload, const std::string& strategy);

/// "gpt-austen:desk: 842,496 parameters, fp32, AdamW, 2500 steps", the strategy with its batch, and the FLOPs.
std::vector<std::string> heading_lines(const Workload& workload, const plan::Description& description);

}  // namespace lockstep::workloads
