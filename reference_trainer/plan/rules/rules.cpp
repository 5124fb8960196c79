#include "reference_trainer/plan/rules/rules.h"

namespace lockstep::plan {
namespace {

/// The rule table of a mesh axis, or of a layout term that stands in its place or before it.
struct RuleTable {
  text::Axis axis;
  std::string_view layout;  ///< of /layout:NAME; empty: where none is named
  std::span<const LayoutRule> (*rules)();
};

constexpr RuleTable kTables[] = {
    {text::Axis::dp, "", dp_rules},
    {text::Axis::ep, "", ep_rules},
    {text::Axis::cp, "", cp_rules},
    {text::Axis::h, "", height_rules},
    {text::Axis::w, "", width_rules},
    {text::Axis::tp, "", tp_rules},
    {text::Axis::tp, "megatron", megatron_rules},
    {text::Axis::tp, "vocab", vocab_rules},
    {text::Axis::tp, "filter", filter_rules},
    {text::Axis::tp, "channel", channel_rules},
};

}  // namespace

std::vector<LayoutRule> rules_of(const text::Strategy& strategy) {
  std::vector<LayoutRule> rules;
  const auto add = [&](std::span<const LayoutRule> table) { rules.insert(rules.end(), table.begin(), table.end()); };
  const text::Term* layout = strategy.find_pass("layout");
  const std::string_view named = layout ? std::string_view(*layout->find("")) : "";
  if (strategy.find_pass("sp")) add(sp_rules());  // first: of an op the first rule of an axis counts
  for (const RuleTable& table : kTables) {
    const bool wanted = table.axis == text::Axis::tp ? table.layout == named : table.layout.empty();
    if (wanted && strategy.size(table.axis) > 1) add(table.rules());
  }
  return rules;
}

}  // namespace lockstep::plan
