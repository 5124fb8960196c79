#include "reference_trainer/plan/terms/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"
#include "reference_trainer/plan/text/canonical.h"
#include "reference_trainer/plan/text/quantity.h"
#include "reference_trainer/plan/text/split.h"

namespace lockstep::terms {
namespace {

using text::split;
using text::Strategy;
using text::Term;

struct Problem {
  std::string kind, reason;
};

Problem usage(std::string reason) { return {"usage", std::move(reason)}; }

std::string label(const Parameter& parameter) {
  return parameter.key.empty() ? "its value" : std::string(parameter.key);
}

/// What the value must be, in words.
std::string rule(const Parameter& parameter) {
  switch (parameter.value) {
    case Value::integer:
      return fmt::format("a whole number from {} to {}", parameter.least, parameter.most);
    case Value::number:
      return fmt::format("a number from {} to {}", parameter.least, parameter.most);
    case Value::size:
      return fmt::format("a size from {} to {} in units such as kB or KiB",
                         text::print_bytes(static_cast<int64_t>(parameter.least)),
                         text::print_bytes(static_cast<int64_t>(parameter.most)));
    case Value::layout:
      return fmt::format("one of {}, or rules such as dp.hidden-out.linear",
                         fmt::join(split(parameter.words, '|'), ", "));
    case Value::ops:
      return fmt::format("one of {}, or names of ops", fmt::join(split(parameter.words, '|'), ", "));
    case Value::word:
      break;
  }
  return fmt::format("one of {}", fmt::join(split(parameter.words, '|'), ", "));
}

bool in_range(const Parameter& parameter, double value) { return value >= parameter.least && value <= parameter.most; }

bool fits(const Parameter& parameter, const std::string& value) {
  if (parameter.value == Value::ops || (parameter.value == Value::layout && value.find('.') != value.npos)) return true;
  if (parameter.value == Value::word || parameter.value == Value::layout) {
    const auto words = split(parameter.words, '|');
    return words.empty() || std::find(words.begin(), words.end(), value) != words.end();
  }
  if (parameter.value == Value::size) {
    try {
      return in_range(parameter, static_cast<double>(text::parse_bytes(value)));
    } catch (const Failure&) {
      return false;
    }
  }
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) return false;
  const bool whole = value.find_first_not_of("0123456789") == std::string::npos;
  return in_range(parameter, number) && (whole || parameter.value == Value::number);
}

void check_arguments(const Row& row, const Term& term, std::vector<Problem>& out) {
  int bare = 0;
  for (const text::Argument& argument : term.arguments) {
    const auto takes = row.takes();
    const auto parameter =
        std::find_if(takes.begin(), takes.end(), [&](const Parameter& p) { return p.key == argument.key; });
    if (parameter == takes.end() || (argument.key.empty() && ++bare > 1 && !is_list(parameter->value))) {
      const std::string given = argument.key.empty() ? argument.value : argument.key + "=" + argument.value;
      out.push_back(usage(fmt::format("{} does not take {}; it takes {}", term.name, given,
                                      takes.empty() ? "no argument" : describe_parameters(row))));
    } else if (!fits(*parameter, argument.value)) {
      out.push_back(usage(fmt::format("{} must be {}, found {}", label(*parameter), rule(*parameter), argument.value)));
    }
  }
  for (const Parameter& parameter : row.takes()) {
    if (parameter.required && !term.find(parameter.key)) {
      out.push_back(usage(fmt::format("{} lacks {}: {}", term.name, label(parameter), rule(parameter))));
    }
  }
}

/// A value that fits, near the one that does not: the nearest word, or bound; empty where there is none.
std::string near_value(const Parameter& parameter, const std::string& value) {
  if (parameter.value == Value::word) return nearest(value, split(parameter.words, '|'));
  const bool whole = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
  if (parameter.value != Value::integer || !whole) return "";
  double number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return fmt::format("{}", number < parameter.least ? parameter.least : parameter.most);
}

/// The term with arguments that it takes, near those that it does not; what has no near value is left out.
Term with_near_arguments(const Row& row, Term term) {
  std::vector<text::Argument> kept;
  for (text::Argument argument : term.arguments) {
    const auto takes = row.takes();
    const auto parameter = std::ranges::find(takes, argument.key, &Parameter::key);
    if (parameter == takes.end()) continue;
    if (!fits(*parameter, argument.value)) argument.value = near_value(*parameter, argument.value);
    if (!argument.value.empty()) kept.push_back(std::move(argument));
  }
  term.arguments = std::move(kept);
  return term;
}

void check_needs(const Row& row, const Strategy& strategy, std::vector<Problem>& out) {
  if (has_its_axes(row, strategy.axes)) return;
  out.push_back(
      usage(fmt::format("{} needs an axis {} of at least 2 ranks; the mesh has {}", row.name,
                        fmt::join(split(row.needs, '|'), " or "), strategy.axes.empty() ? "1 rank" : "none")));
}

/// Terms that stand before `term` and exclude it: an excluding row, or a second of a kind of which there is one.
void check_conflicts(const Row& row, std::string_view before_mark, const Strategy& strategy, const Term& term,
                     std::vector<Problem>& out) {
  const auto& list = before_mark == "/" ? strategy.passes : strategy.agreements;
  const auto excluded = split(row.conflicts, ',');
  const bool one_of_kind = row.kind == Kind::schedule || row.kind == Kind::policy || row.kind == Kind::codec;
  for (const Term& other : list) {
    if (&other == &term) break;
    const Row* other_row = find(before_mark, other.name);
    if (!other_row) continue;
    if (std::find(excluded.begin(), excluded.end(), other.name) != excluded.end()) {
      out.push_back(usage(fmt::format("{} cannot stand beside {}: {}", term.name, other.name, row.conflict_why)));
    } else if (one_of_kind && other_row->kind == row.kind) {
      out.push_back(usage(fmt::format("a strategy has one {}, {} is there already", name(row.kind), other.name)));
    }
  }
}

std::vector<Problem> problems(std::string_view before_mark, const Term& term, const Strategy& strategy) {
  const Row* row = find(before_mark, term.name);
  if (!row) return {usage(fmt::format("no such term; the nearest is {}", nearest(term.name, names(before_mark))))};
  std::vector<Problem> out;
  if (!row->supported()) out.push_back({"unsupported", std::string(row->because)});
  check_arguments(*row, term, out);
  check_needs(*row, strategy, out);
  if (before_mark != "@") check_conflicts(*row, before_mark, strategy, term, out);
  return out;
}

}  // namespace

bool has_its_axes(const Row& row, const std::vector<text::MeshAxis>& axes) {
  if (row.needs.empty()) return true;
  const auto needs = split(row.needs, '|');
  return std::any_of(axes.begin(), axes.end(), [&](const text::MeshAxis& m) {
    return m.size > 1 && std::find(needs.begin(), needs.end(), text::name(m.axis)) != needs.end();
  });
}

std::string describe_parameters(const Row& row) {
  std::string out;
  for (const Parameter& p : row.takes()) {
    std::string value = rule(p);
    if (p.value == Value::word) value = std::string(p.words);
    if (p.value == Value::layout) value = fmt::format("{}|RULE,..|FILE.json", p.words);
    if (p.value == Value::ops) value = fmt::format("{}|OP,..|FILE.json", p.words);
    if (p.value == Value::integer || p.value == Value::number) value = fmt::format("{}..{}", p.least, p.most);
    if (p.value == Value::size) value = "SIZE";
    out += fmt::format("{}{}{}{}{}", out.empty() ? "" : ",", p.required ? "" : "[", p.key, p.key.empty() ? "" : "=",
                       value);
    if (!p.required) out += "]";
  }
  return out;
}

bool equals_serial(const Strategy& strategy) { return strategy.find_pass("pipedream") == nullptr; }

text::Strategy serial_of(const Strategy& strategy) {
  Strategy serial;
  if (const Term* amp = strategy.find_pass("amp")) serial.passes = {*amp};
  return serial;
}

text::Strategy nearest_supported(const Strategy& strategy) {
  Strategy out = strategy;
  const bool all = std::all_of(out.axes.begin(), out.axes.end(),
                               [](const text::MeshAxis& m) { return find("", text::name(m.axis))->supported(); });
  if (!all) out.axes = {{text::Axis::dp, text::ranks(strategy)}};
  const auto keep_legal = [&](std::string_view before_mark, std::vector<Term>& list) {
    for (size_t i = 0; i < list.size();) {
      if (const Row* row = find(before_mark, list[i].name)) list[i] = with_near_arguments(*row, list[i]);
      if (problems(before_mark, list[i], out).empty()) {
        ++i;
      } else {
        list.erase(list.begin() + static_cast<ptrdiff_t>(i));
      }
    }
  };
  keep_legal("/", out.passes);
  keep_legal("+", out.agreements);
  if (out.collective && !problems("@", *out.collective, out).empty()) out.collective.reset();
  return text::canonical(out);
}

std::vector<Refusal> check(const Strategy& strategy) {
  std::vector<Refusal> out;
  const auto add = [&](const std::string& term, const std::vector<Problem>& found) {
    for (const Problem& problem : found) out.push_back({term, problem.kind, problem.reason, ""});
  };
  for (const text::MeshAxis& m : strategy.axes) {
    const Row& row = *find("", text::name(m.axis));
    if (!row.supported()) {
      add(fmt::format("{}{}", row.name, m.size), {{"unsupported", std::string(row.because)}});
    }
  }
  for (const Term& term : strategy.passes) add(text::print(term), problems("/", term, strategy));
  for (const Term& term : strategy.agreements) add(text::print(term), problems("+", term, strategy));
  if (strategy.collective) add(text::print(*strategy.collective), problems("@", *strategy.collective, strategy));
  const std::string nearest = out.empty() ? "" : text::print(nearest_supported(strategy));
  for (Refusal& refusal : out) refusal.nearest = nearest;
  return out;
}

void refuse_unsupported(const Strategy& strategy) {
  const std::vector<Refusal> refusals = check(strategy);
  if (refusals.empty()) return;
  const Refusal& first = refusals.front();
  throw Failure(first.kind, fmt::format("{}: {}: {}; the nearest that runs is {}", text::print(strategy), first.term,
                                        first.reason, first.nearest));
}

}  // namespace lockstep::terms
