#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {

/// A layout that has a name: its rules stand in place of the usual ones of the axes that they name.
struct NamedLayout {
  std::string_view name;
  std::string_view rules;  ///< texts of rules, with commas between, as /layout:RULE,RULE has them
  std::string_view source;
};

std::span<const NamedLayout> named_layouts();

/// The rules of a layout term: of a named one (layout:megatron), or those that it lists itself
/// (layout:dp.hidden-out.linear,dp.batch-else). Throws Failure("usage") with the rule's number, text and remedy.
std::vector<LayoutRule> rules_of_layout(const text::Term& layout);

}  // namespace lockstep::plan
