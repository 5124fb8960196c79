#pragma once

#include <compare>
#include <string>
#include <vector>

#include "reference_trainer/plan/describe.h"
#include "reference_trainer/plan/terms/recipe.h"
#include "reference_trainer/plan/work.h"
#include "workloads/data/workload.h"

namespace lockstep::workloads {

/// What of a recipe a strategy may not go with.
terms::RecipeTraits traits_of(const Recipe& recipe);

/// All of a workload that its plans depend on: workloads that differ elsewhere (learning rates, steps, seeds) have
/// equal plans, and equal refusals.
struct PlanInput {
  std::string graph;           ///< JSON with the inputs, ops and dropout, for graph::build
  plan::Work work;             ///< what of the recipe decides how much a plan sends and keeps
  terms::RecipeTraits traits;  ///< what of the recipe a strategy may not go with

  auto operator<=>(const PlanInput&) const = default;
};
PlanInput plan_input(const Workload& workload);

/// What a strategy does in a step of a workload. Throws Failure: "usage" (the strategy's text), "unsupported" (the
/// strategy cannot be, or not with this workload, with the nearest that can).
plan::Description describe(const PlanInput& input, const std::string& strategy_text);

/// "gpt-austen:desk: 842,496 parameters, fp32, AdamW, 2500 steps", the strategy with its batch, and the FLOPs.
std::vector<std::string> heading_lines(const Workload& workload, const plan::Description& description);

}  // namespace lockstep::workloads
