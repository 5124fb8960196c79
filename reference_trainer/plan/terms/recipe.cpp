#include "reference_trainer/plan/terms/recipe.h"

#include <fmt/format.h>

#include "adapters/contract/failure.h"

namespace lockstep::terms {
namespace {

/// The same strategy with a pipeline that flushes, and with others of its term's rules of weights.
std::string with_schedule(text::Strategy strategy, const text::Term& instead) {
  for (text::Term& pass : strategy.passes) {
    if (pass.name == "pipedream") pass = instead;
  }
  return text::print(strategy);
}

}  // namespace

std::vector<Refusal> check_recipe(const text::Strategy& strategy, const RecipeTraits& recipe) {
  const text::Term* term = strategy.find_pass("pipedream");
  if (!term) return {};
  std::vector<Refusal> out;
  const int ranks = strategy.size(text::Axis::pp);
  const std::string flushed = with_schedule(strategy, {"1f1b", {{"m", fmt::format("{}", ranks)}}});
  const auto add = [&](std::string reason, std::string nearest) {
    out.push_back({text::print(*term), "unsupported", std::move(reason), std::move(nearest)});
  };
  if (recipe.clips) {
    add(fmt::format(
            "clipping takes the norm of one step's gradients on all {} stages, which without a flush make them at "
            "different times, up to {} microbatches apart; clip=none lets it run",
            ranks, ranks - 1),
        flushed);
  }
  if (recipe.rates_by_tensor) {
    add(fmt::format(
            "LARS and LAMB take norms that this version adds up over all {} stages, which without a flush update "
            "at different times; optimizer=momentum or adamw lets it run",
            ranks),
        flushed);
  }
  const std::string* weights = term->find("weights");
  if (weights && *weights == "predict" && !recipe.has_velocity) {
    add("weights are predicted along the optimizer's velocity, and this optimizer keeps none; optimizer=momentum or "
        "nesterov lets it run",
        with_schedule(strategy, {"pipedream", {{"weights", "stash"}}}));
  }
  return out;
}

void refuse_recipe(const text::Strategy& strategy, const RecipeTraits& recipe) {
  refuse_unsupported(strategy);
  const std::vector<Refusal> refusals = check_recipe(strategy, recipe);
  if (refusals.empty()) return;
  const Refusal& first = refusals.front();
  throw Failure(first.kind, fmt::format("{}: {}: {}; the nearest that runs is {}", text::print(strategy), first.term,
                                        first.reason, first.nearest));
}

}  // namespace lockstep::terms
