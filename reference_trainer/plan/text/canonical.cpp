#include "reference_trainer/plan/text/canonical.h"

#include <algorithm>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/terms/table.h"
#include "reference_trainer/plan/text/quantity.h"
#include "reference_trainer/plan/text/scanner.h"

namespace lockstep::text {
namespace {

/// Values as their kind prints them, where they are of that kind; terms::check refuses the others.
std::string canonical_value(const terms::Parameter& parameter, const std::string& value) {
  if (parameter.value == terms::Value::word || terms::is_list(parameter.value)) return value;
  if (parameter.value != terms::Value::size) return canonical_number(value);
  try {
    return print_bytes(parse_bytes(value));
  } catch (const Failure&) {
    return value;
  }
}

void settle_arguments(std::string_view mark, Term& term) {
  const terms::Row* row = terms::find(mark, term.name);
  for (Argument& argument : term.arguments) {
    for (const terms::Parameter& parameter : row ? row->takes() : std::span<const terms::Parameter>()) {
      if (parameter.key == argument.key) argument.value = canonical_value(parameter, argument.value);
    }
  }
  order_keys(term.arguments, {});
}

bool is(std::string_view mark, const Term& term, terms::Kind kind) {
  const terms::Row* row = terms::find(mark, term.name);
  return row && row->kind == kind;
}

void settle_passes(Strategy& strategy) {
  std::erase_if(strategy.passes, [](const Term& t) { return t == Term{"accum", {{"m", "1"}}}; });
  const bool scheduled = std::any_of(strategy.passes.begin(), strategy.passes.end(),
                                     [](const Term& t) { return is("/", t, terms::Kind::schedule); });
  if (strategy.size(Axis::pp) > 1 && !scheduled) strategy.passes.push_back({"naive", {}});
  std::stable_sort(strategy.passes.begin(), strategy.passes.end(),
                   [](const Term& a, const Term& b) { return terms::find("/", a.name) < terms::find("/", b.name); });
}

/// The policy bsp is the default and not printed, but before a wrapper, whose state belongs to the policy.
void settle_policy(Strategy& strategy) {
  auto& terms = strategy.agreements;
  const auto has = [&](terms::Kind kind) {
    return std::any_of(terms.begin(), terms.end(), [&](const Term& t) { return is("+", t, kind); });
  };
  std::erase(terms, Term{"bsp", {}});
  if (has(terms::Kind::wrapper) && !has(terms::Kind::policy)) terms.insert(terms.begin(), {"bsp", {}});
}

}  // namespace

Strategy canonical(Strategy strategy) {
  std::erase_if(strategy.axes, [](const MeshAxis& m) { return m.size == 1; });
  for (Term& term : strategy.passes) settle_arguments("/", term);
  for (Term& term : strategy.agreements) settle_arguments("+", term);
  if (strategy.collective) settle_arguments("@", *strategy.collective);
  settle_passes(strategy);
  settle_policy(strategy);
  if (strategy.collective == Term{"auto", {}}) strategy.collective.reset();
  return strategy;
}

}  // namespace lockstep::text
