// { "layout": "by_layer",
//   "rules": [ { "axis": "dp", "loop": "hidden", "place": "out", "op": "linear", "layer": "fc%" },
//              { "axis": "dp", "loop": "whole", "op": "linear_grad_weight" },
//              { "axis": "dp", "loop": "batch", "else": true } ] }
#include "harness/suite/layout_file.h"

#include <nlohmann/json.hpp>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/rules/rule_text.h"
#include "workloads/data/node.h"

namespace lockstep::suite {
namespace {

using workloads::Node;

bool is_set(const Node& rule, const char* key) {
  const auto flag = rule.find(key);
  if (flag && !flag->json().is_boolean()) flag->refuse("must be true or false", "write it without quotes");
  return flag && flag->json().get<bool>();
}

/// The text form of a rule, as its parts give it.
std::string written(const Node& rule) {
  rule.only({"axis", "loop", "place", "fits", "else", "sync", "op", "layer"});
  std::string out = rule.at("axis").text() + "." + rule.at("loop").text();
  if (const auto place = rule.find("place")) out += "-" + place->text();
  if (is_set(rule, "fits")) out += "-fits";
  if (is_set(rule, "else")) out += "-else";
  if (is_set(rule, "sync")) out += "-sync";
  const auto op = rule.find("op"), layer = rule.find("layer");
  if (op || layer) out += "." + (op ? op->text() : "any");
  if (layer) out += "." + layer->text();
  return out;
}

std::string rule_of(const Node& rule) {
  constexpr std::string_view kLegal = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%-";
  const std::string text = written(rule);
  if (text.find_first_not_of(kLegal) != text.npos)
    rule.refuse("a name is made of A-Z a-z 0-9 . _ -, and % where any end will do", "write \"layer\": \"fc%\"");
  try {
    return plan::print(plan::parse_rule(text));
  } catch (const Failure& failure) {
    rule.refuse(failure.what(), "the parts of a rule: docs/plan.md, Layouts");
  }
}

}  // namespace

text::Strategy with_layout_file(text::Strategy strategy, const std::filesystem::path& folder) {
  for (text::Term& term : strategy.passes) {
    const std::string* name = term.name == "layout" ? term.find("") : nullptr;
    if (name == nullptr || term.arguments.size() > 1 || !name->ends_with(".json")) continue;
    const std::string file = (folder / *name).lexically_normal().string();
    const workloads::Json json = workloads::read_json(file);
    const Node root(json, file);
    root.only({"layout", "rules"});
    const std::vector<Node> rules = root.at("rules").elements();
    if (rules.empty()) root.at("rules").refuse("a layout has at least one rule", "leave the layout out instead");
    term.arguments.clear();
    for (const Node& rule : rules) term.arguments.push_back({"", rule_of(rule)});
  }
  return strategy;
}

}  // namespace lockstep::suite
