#include "reference_trainer/plan/rules/rule_text.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"
#include "reference_trainer/plan/text/split.h"

namespace lockstep::plan {
namespace {

using text::Axis;

constexpr Axis kSplitting[] = {Axis::dp, Axis::tp, Axis::cp, Axis::ep, Axis::h, Axis::w};
constexpr std::array<std::string_view, 6> kWords = {"plain", "out", "in", "fits", "else", "sync"};
constexpr std::string_view kWhole = "whole", kAny = "any";

/// Takes what stands before `end` off the text, and the end too.
std::string_view take_until(std::string_view& rest, char end) {
  const size_t at = rest.find(end);
  const std::string_view word = rest.substr(0, at);
  rest.remove_prefix(at == rest.npos ? rest.size() : at + 1);
  return word;
}

[[noreturn]] void refuse_word(std::string_view rule, std::string_view what, std::string_view word,
                              const std::string& nearest) {
  throw Failure("usage",
                fmt::format("\"{}\": expected {}, found \"{}\"; the nearest is \"{}\"", rule, what, word, nearest));
}

Axis axis_named(std::string_view rule, std::string_view word) {
  for (Axis axis : kSplitting) {
    if (text::name(axis) == word) return axis;
  }
  std::vector<std::string_view> names;
  for (Axis axis : kSplitting) names.push_back(text::name(axis));
  refuse_word(rule, "an axis that splits ops", word, nearest(word, names));
}

/// The dim's and the kind's own messages, with the rule before them.
template <class Named>
auto within_rule(std::string_view rule, const Named& named) {
  try {
    return named();
  } catch (const Failure& failure) {
    throw Failure("usage", fmt::format("\"{}\": {}", rule, failure.what()));
  }
}

void take_words(std::string_view rule, std::string_view words, LayoutRule& out) {
  for (std::string_view word : text::split(words, '-')) {
    if (word == "plain") {
      out.where = Where::plain;
    } else if (word == "out") {
      out.where = Where::out;
    } else if (word == "in") {
      out.where = Where::in;
    } else if (word == "fits") {
      out.where_it_fits = true;
    } else if (word == "else") {
      out.otherwise = true;
    } else if (word == "sync") {
      out.synchronizes = true;
    } else {
      refuse_word(rule, "plain, out, in, fits, else or sync", word, nearest(word, kWords));
    }
  }
}

}  // namespace

LayoutRule parse_rule(std::string_view text) {
  LayoutRule rule;
  std::string_view rest = text;
  rule.axis = axis_named(text, take_until(rest, '.'));
  std::string_view loop = take_until(rest, '.');
  const std::string_view dim = take_until(loop, '-');
  rule.stays_whole = dim == kWhole;
  if (!rule.stays_whole) rule.loop = within_rule(text, [&] { return graph::dim_named(dim); });
  take_words(text, loop, rule);
  const std::string_view op = take_until(rest, '.');
  if (!op.empty() && op != kAny) rule.kind = within_rule(text, [&] { return graph::kind_named(op); });
  rule.layer = rest;
  return rule;
}

std::string print(const LayoutRule& rule) {
  std::string out = fmt::format("{}.{}", text::name(rule.axis), rule.stays_whole ? kWhole : graph::name(rule.loop));
  if (rule.where != Where::any) out += fmt::format("-{}", kWords[static_cast<size_t>(rule.where) - 1]);
  if (rule.where_it_fits) out += "-fits";
  if (rule.otherwise) out += "-else";
  if (rule.synchronizes) out += "-sync";
  if (rule.kind != graph::OpKind::none || !rule.layer.empty())
    out += fmt::format(".{}", rule.kind == graph::OpKind::none ? kAny : graph::name(rule.kind));
  if (!rule.layer.empty()) out += fmt::format(".{}", rule.layer);
  return out;
}

}  // namespace lockstep::plan
