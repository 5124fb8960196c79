#pragma once

#include <compare>
#include <vector>

#include "reference_trainer/plan/terms/check.h"

namespace lockstep::terms {

/// What of a recipe a strategy may not go with.
struct RecipeTraits {
  bool clips = false;            ///< by the global norm of the gradients
  bool rates_by_tensor = false;  ///< norms of whole tensors enter the update (LARS, LAMB)
  bool has_velocity = false;     ///< the optimizer keeps one, along which weights can be predicted

  auto operator<=>(const RecipeTraits&) const = default;
};

/// Empty: the strategy, which check() allows, can train with such a recipe. Pure.
std::vector<Refusal> check_recipe(const text::Strategy& strategy, const RecipeTraits& recipe);

/// Throws Failure with the first refusal of check(), and then of check_recipe(), if there is one: what a term itself
/// has wrong is said before what it does not go with.
void refuse_recipe(const text::Strategy& strategy, const RecipeTraits& recipe);

}  // namespace lockstep::terms
