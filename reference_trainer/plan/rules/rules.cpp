#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {
namespace {

/// The rule table of a mesh axis, or of a layout pass that changes where an axis splits.
struct RuleTable {
  text::Axis axis;
  std::string_view pass;  ///< empty: whenever the mesh has the axis
  std::span<const LayoutRule> (*rules)();
};

/// A pass stands before its axis: its rules come first.
constexpr RuleTable kTables[] = {{text::Axis::dp, "", dp_rules},
                                 {text::Axis::cp, "", cp_rules},
                                 {text::Axis::tp, "sp", sp_rules},
                                 {text::Axis::tp, "", tp_rules}};

}  // namespace

std::vector<LayoutRule> rules_of(const text::Strategy& strategy) {
  std::vector<LayoutRule> rules;
  for (const RuleTable& table : kTables) {
    if (strategy.size(table.axis) == 1) continue;
    if (!table.pass.empty() && !strategy.find_pass(table.pass)) continue;
    for (const LayoutRule& rule : table.rules()) rules.push_back(rule);
  }
  return rules;
}

}  // namespace lockstep::plan
