#include "workloads/plan/plan_of.h"

#include <fmt/format.h>

#include "reference_trainer/graph/build.h"
#include "reference_trainer/plan/cut_choice.h"
#include "reference_trainer/plan/describe_words.h"
#include "reference_trainer/plan/text/strategy.h"

namespace lockstep::workloads {
namespace {

bool has_doubles(const Workload& workload) { return workload.recipe.precision == Precision::fp64; }

std::string optimizer_name(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return "SGD";
    case Optimizer::adamw:
      return "AdamW";
    case Optimizer::lars:
      return "LARS";
    case Optimizer::lamb:
      return "LAMB";
    default:
      return "SGD with momentum";
  }
}

}  // namespace

terms::RecipeTraits traits_of(const Recipe& recipe) {
  return {recipe.clip.has_value(), has_rates_by_tensor(recipe.optimizer), keeps_velocity(recipe.optimizer)};
}

PlanInput plan_input(const Workload& workload) {
  const Recipe& recipe = workload.recipe;
  return {fmt::format(R"({{"inputs":{},"graph":{},"recipe":{{"dropout":{}}}}})", json_text(workload.inputs),
                      workload.graph, recipe.dropout),
          {recipe.batch, has_doubles(workload) ? 8 : 4, optimizer_arrays(recipe.optimizer), recipe.clip.has_value()},
          traits_of(recipe)};
}

plan::Description describe(const PlanInput& input, const std::string& strategy_text) {
  const text::Strategy strategy = text::parse_strategy(strategy_text);
  terms::refuse_recipe(strategy, input.traits);
  const graph::Graph forward = graph::build(input.graph);
  return plan::describe(forward, plan::with_chosen_cut(forward, strategy, input.work), input.work);
}

std::vector<std::string> heading_lines(const Workload& workload, const plan::Description& d) {
  const char* precision = has_doubles(workload) ? "fp64" : "fp32";
  std::vector<std::string> lines = {
      fmt::format("{}: {} parameters, {}, {}, {} steps", workload.text, plan::with_commas(d.parameters), precision,
                  optimizer_name(workload.recipe.optimizer), workload.steps),
      plan::batch_line(d),
      fmt::format("model FLOPs a step, GEMMs x 3 (attention in full): {:.4g} G",
                  static_cast<double>(d.model_flops) / 1e9)};
  if (d.storage != graph::Type::real) {
    lines.push_back(
        fmt::format("activations lie in memory, and travel, in {0}, and weights are read rounded to it; "
                    "products are computed in {1}: no step time here is that of 16-bit units",
                    graph::name(d.storage), precision));
  }
  return lines;
}

}  // namespace lockstep::workloads
