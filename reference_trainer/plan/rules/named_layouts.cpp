// Layouts by name (techniques A1.6, A1.17, A1.18, A1.22, A3.6): data in the text form of rules, see rule_text.h.
#include "reference_trainer/plan/rules/named_layouts.h"

#include <algorithm>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/rules/rule_text.h"
#include "reference_trainer/plan/text/split.h"

namespace lockstep::plan {
namespace {

constexpr NamedLayout kLayouts[] = {
    {"megatron", "tp.heads,tp.ffn,tp.vocab", "attention, feed-forward and vocabulary: Shoeybi et al. 2019"},
    {"vocab", "tp.vocab", "embedding, head and loss alone"},
    {"filter", "tp.chan_out-out.conv2d,tp.hidden-out.linear,tp.ffn-out.linear",
     "what products make: Dryden et al. 2019"},
    {"channel", "tp.chan_in-in-fits.conv2d,tp.hidden-in.linear,tp.ffn-in.linear,tp.chan_out-in.linear",
     "what products contract: Dryden et al. 2019"},
    {"one_weird_trick",
     "dp.hidden-out.linear,dp.ffn-out.linear,dp.vocab-out.linear,dp.class-out-fits.linear,dp.batch-else",
     "convolutions by samples, fully connected layers by neurons, on the same ranks: Krizhevsky 2014"},
    {"sfb", "dp.whole.linear_grad_weight,dp.batch-else",
     "weight gradients of linear layers from gathered factors: Xie et al. 2015, Zhang et al. 2017 (Poseidon)"},
    {"grid15d",
     "dp.batch,tp.chan_out-out.conv2d,tp.hidden-out.linear,tp.ffn-out.linear,tp.vocab-out.linear,"
     "tp.class-out-fits.linear,tp.heads-out.linear,tp.heads.attention",
     "the batch over dp, the rows of every weight over tp: 1.5-D products, Gholami et al. 2018"},
};

std::string listed_layouts() {
  std::string listed;
  for (const NamedLayout& layout : kLayouts) listed += (listed.empty() ? "" : ", ") + std::string(layout.name);
  return listed;
}

LayoutRule numbered(const text::Term& layout, size_t number, std::string_view text) {
  try {
    return parse_rule(text);
  } catch (const Failure& failure) {
    throw Failure("usage", fmt::format("{}: rule {}: {}", layout.name, number, failure.what()));
  }
}

}  // namespace

std::span<const NamedLayout> named_layouts() { return kLayouts; }

std::vector<LayoutRule> rules_of_layout(const text::Term& layout) {
  std::vector<LayoutRule> rules;
  const std::string& first = layout.arguments.front().value;
  const auto named = std::ranges::find(kLayouts, first, &NamedLayout::name);
  if (named != std::end(kLayouts) && layout.arguments.size() == 1) {
    for (std::string_view rule : text::split(named->rules, ',')) {
      rules.push_back(numbered(layout, rules.size() + 1, rule));
    }
    return rules;
  }
  if (first.ends_with(".json"))
    throw Failure("usage",
                  fmt::format("layout: {} is a file, in whose place lockstep run and lockstep plan put its rules; "
                              "write these out: RULE,RULE",
                              first));
  if (named != std::end(kLayouts))
    throw Failure("usage",
                  fmt::format("layout: {} is a table of its own, and {} stands beside it; write out its rules: {}",
                              first, layout.arguments[1].value, named->rules));
  if (first.find('.') == first.npos)
    throw Failure("usage", fmt::format("no layout is called \"{}\"; there are {}, and rules such as {}", first,
                                       listed_layouts(), "dp.hidden-out.linear"));
  for (const text::Argument& argument : layout.arguments)
    rules.push_back(numbered(layout, rules.size() + 1, argument.value));
  return rules;
}

}  // namespace lockstep::plan
