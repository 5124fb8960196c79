#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "adapters/contract/manifest.h"
#include "harness/suite/cells.h"
#include "reference_trainer/plan/text/strategy.h"
#include "reference_trainer/plan/text/system_text.h"
#include "workloads/plan/plan_of.h"

namespace lockstep::suite {

/// Options of any system whose adapter does checkpoints: a file every so many steps, and the content's hash of the file
/// that a run goes on from. They belong to what a cell is, since it takes longer, or trains fewer steps.
inline constexpr std::string_view kCheckpointEvery = "checkpoint_every", kResume = "resume";
bool is_of_checkpoints(const text::Argument& option);

/// Why the adapter cannot, where the system asks for checkpoints.
std::optional<Reason> check_checkpoints(const text::SystemText& system, const contract::Manifest& manifest);

/// Options that the adapter does not know, or values that it does not take: Failure "usage" naming the nearest.
void check_options(const text::SystemText& system, const contract::Manifest& manifest);

/// The first reason why the adapter cannot run a strategy on a fabric: a term that this version or the adapter does not
/// do, or a fabric that it does not have.
std::optional<Reason> check_strategy(const text::Strategy& strategy, const std::string& fabric_name,
                                     const contract::Manifest& manifest);

/// The first reason why the reference trainer cannot train a strategy with a recipe.
std::optional<Reason> check_recipe(const text::Strategy& strategy, const workloads::Recipe& recipe,
                                   const contract::Manifest& manifest);

/// Why the reference trainer cannot plan a step of a workload with a strategy: sizes that do not divide, ops that do
/// not split. Plans it, which takes about a millisecond.
std::optional<Reason> check_plan(const text::Strategy& strategy, const workloads::PlanInput& input,
                                 const contract::Manifest& manifest);

/// The first reason why the adapter cannot run a workload: an op, or the precision.
std::optional<Reason> check_workload(const workloads::Workload& workload, const contract::Manifest& manifest);

}  // namespace lockstep::suite
