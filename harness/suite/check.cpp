#include "harness/suite/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"
#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/plan/terms/recipe.h"
#include "reference_trainer/plan/terms/terms_of.h"

namespace lockstep::suite {
namespace {

using contract::Manifest;

// The reference trainer answers from the table of terms, which knows why; every other adapter by its claims.
std::optional<Reason> check_terms(const text::Strategy& strategy, const Manifest& manifest) {
  if (manifest.name == "reference") {
    const std::vector<terms::Refusal> refusals = terms::check(strategy);
    if (refusals.empty()) return std::nullopt;
    const terms::Refusal& first = refusals.front();
    const std::string hint = first.nearest.empty() ? "" : "; nearest that runs: " + first.nearest;
    return Reason{"unsupported", first.term + ": " + first.reason + hint};
  }
  for (const std::string& term : terms::printed(strategy)) {
    const bool claimed = std::any_of(manifest.claims.begin(), manifest.claims.end(),
                                     [&](const contract::Claim& c) { return terms::claim_covers(c.term, term); });
    if (!claimed)
      return Reason{"unsupported", fmt::format("{}: {} does not claim it (adapters/{}/manifest.json)", term,
                                               manifest.name, manifest.name)};
  }
  return std::nullopt;
}

std::string fabrics_of(const Manifest& manifest) {
  std::string all;
  for (const contract::LaunchRecipe& recipe : manifest.launch) {
    if (!recipe.fabric.empty()) all += (all.empty() ? "" : ", ") + recipe.fabric;
  }
  return all.empty() ? "none" : all;
}

// The ops of a graph, each once. They depend on the workload alone.
std::set<std::string> ops_of(const workloads::Workload& workload) {
  std::set<std::string> ops;
  for (const auto& op : nlohmann::json::parse(workload.graph)) ops.insert(op.value("op", ""));
  return ops;
}

bool is_positive(const std::string& text) {
  return text.find_first_not_of("0123456789") == text.npos && text.find_first_not_of('0') != text.npos &&
         text.size() < 10;
}

}  // namespace

void check_options(const text::SystemText& system, const Manifest& manifest) {
  for (const text::Argument& option : system.options) {
    if (option.key == kCheckpointEvery && !is_positive(option.value))
      refuse({"", text::print(system), option.value, "must be a whole number of steps, 1 or more", "write 50"});
    if (option.key == "env" || option.key == "version" || is_of_checkpoints(option)) continue;
    const auto rule = std::find_if(manifest.options.begin(), manifest.options.end(),
                                   [&](const contract::OptionRule& r) { return r.name == option.key; });
    if (rule == manifest.options.end()) {
      std::vector<std::string> names{"env"};
      for (const contract::OptionRule& r : manifest.options) names.push_back(r.name);
      refuse({"", text::print(system), option.key, "no such option of " + system.id,
              "the nearest is '" + nearest(option.key, names) + "'"});
    }
    const auto& values = rule->values;
    if (!values.empty() && std::find(values.begin(), values.end(), option.value) == values.end()) {
      refuse({"", text::print(system), option.value, "no value of " + option.key,
              fmt::format("one of {}", fmt::join(values, ", "))});
    }
  }
}

bool is_of_checkpoints(const text::Argument& option) { return option.key == kCheckpointEvery || option.key == kResume; }

std::optional<Reason> check_checkpoints(const text::SystemText& system, const Manifest& manifest) {
  const auto option = std::ranges::find_if(system.options, is_of_checkpoints);
  if (option == system.options.end() || manifest.checkpoints) return std::nullopt;
  return Reason{"unsupported", fmt::format("{}: {} does not save runs so that another layout can go on with them "
                                           "(\"checkpoints\" in adapters/{}/manifest.json); reference does",
                                           option->key, manifest.name, manifest.name)};
}

std::optional<Reason> check_strategy(const text::Strategy& strategy, const std::string& fabric_name,
                                     const Manifest& manifest) {
  if (auto reason = check_terms(strategy, manifest)) return reason;
  if (manifest.launch_on(fabric_name) != nullptr) return std::nullopt;
  if (fabric_name.empty()) return Reason{"unsupported", manifest.name + " has no way to launch one rank"};
  return Reason{"unsupported", fmt::format("fabric {}: {} has no way to launch on it; it has: {}", fabric_name,
                                           manifest.name, fabrics_of(manifest))};
}

std::optional<Reason> check_recipe(const text::Strategy& strategy, const workloads::Recipe& recipe,
                                   const Manifest& manifest) {
  if (manifest.name != "reference") return std::nullopt;
  const auto refusals = terms::check_recipe(strategy, workloads::traits_of(recipe));
  if (refusals.empty()) return std::nullopt;
  const terms::Refusal& first = refusals.front();
  return Reason{first.kind, fmt::format("{}: {}; nearest that runs: {}", first.term, first.reason, first.nearest)};
}

std::optional<Reason> check_plan(const text::Strategy& strategy, const workloads::PlanInput& input,
                                 const Manifest& manifest) {
  if (manifest.name != "reference") return std::nullopt;
  try {
    workloads::describe(input, text::print(strategy));
    return std::nullopt;
  } catch (const Failure& failure) {
    return Reason{"unsupported", failure.what()};
  }
}

std::optional<Reason> check_workload(const workloads::Workload& workload, const Manifest& manifest) {
  const std::string precision(workloads::recipe_text(workload.recipe, "precision"));
  const auto has = [](const std::vector<std::string>& all, const std::string& one) {
    return all.empty() || std::find(all.begin(), all.end(), one) != all.end();
  };
  if (!has(manifest.precisions, precision)) {
    return Reason{"unsupported", fmt::format("precision {}: {} does not do it", precision, manifest.name)};
  }
  if (manifest.workload_ops.empty()) return std::nullopt;
  for (const std::string& op : ops_of(workload)) {
    if (!has(manifest.workload_ops, op)) {
      return Reason{"unsupported", fmt::format("op {}: {} does not do it", op, manifest.name)};
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::suite
