#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {
namespace {

/// The rule table of each mesh axis.
struct AxisRules {
  text::Axis axis;
  std::span<const LayoutRule> (*rules)();
};

constexpr AxisRules kAxisRules[] = {{text::Axis::dp, dp_rules}};

}  // namespace

std::vector<LayoutRule> rules_of(const text::Strategy& strategy) {
  std::vector<LayoutRule> rules;
  for (const AxisRules& entry : kAxisRules) {
    if (strategy.size(entry.axis) == 1) continue;
    for (const LayoutRule& rule : entry.rules()) rules.push_back(rule);
  }
  return rules;
}

}  // namespace lockstep::plan
