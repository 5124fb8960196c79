#include "reference_trainer/plan/rules/rules.h"

#include <algorithm>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/rules/named_layouts.h"
#include "reference_trainer/plan/rules/rule_text.h"

namespace lockstep::plan {
namespace {

/// The rule table of a mesh axis, where no layout term names that axis.
struct RuleTable {
  text::Axis axis;
  std::span<const LayoutRule> (*rules)();
};

constexpr RuleTable kTables[] = {
    {text::Axis::dp, dp_rules},    {text::Axis::ep, ep_rules},   {text::Axis::cp, cp_rules},
    {text::Axis::h, height_rules}, {text::Axis::w, width_rules}, {text::Axis::tp, tp_rules},
};

void refuse_missing_axis(const text::Strategy& strategy, const LayoutRule& rule) {
  if (strategy.size(rule.axis) > 1) return;
  const std::string mesh = text::print(strategy).substr(0, text::print(strategy).find_first_of("/+@"));
  throw Failure("usage", fmt::format("{}: {} has the rule {}, but the mesh {} has no axis {} of at least 2 ranks; add "
                                     "{}2 to the mesh, or leave the layout out",
                                     text::print(strategy), text::print(*strategy.find_pass("layout")), print(rule),
                                     mesh, text::name(rule.axis), text::name(rule.axis)));
}

}  // namespace

std::vector<LayoutRule> rules_of(const text::Strategy& strategy) {
  std::vector<LayoutRule> rules, of_layout;
  if (const text::Term* layout = strategy.find_pass("layout")) of_layout = rules_of_layout(*layout);
  for (const LayoutRule& rule : of_layout) refuse_missing_axis(strategy, rule);
  if (strategy.find_pass("sp")) rules.assign(sp_rules().begin(), sp_rules().end());  // first: see LayoutRule
  if (strategy.find_pass("sync_bn")) {
    std::ranges::copy_if(sync_bn_rules(), std::back_inserter(rules),
                         [&](const LayoutRule& rule) { return strategy.size(rule.axis) > 1; });
  }
  for (const RuleTable& table : kTables) {
    if (strategy.size(table.axis) == 1) continue;
    const size_t before = rules.size();
    std::ranges::copy_if(of_layout, std::back_inserter(rules),
                         [&](const LayoutRule& rule) { return rule.axis == table.axis; });
    if (rules.size() == before) std::ranges::copy(table.rules(), std::back_inserter(rules));
  }
  return rules;
}

}  // namespace lockstep::plan
