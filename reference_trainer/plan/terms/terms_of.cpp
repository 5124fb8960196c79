#include "reference_trainer/plan/terms/terms_of.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::terms {
namespace {

std::string argument_of(const Parameter& parameter) {
  std::string value = fmt::format("{}", parameter.least);
  if (parameter.key == "m") value = "8";
  if (parameter.value == Value::size) value = "25MB";
  if (parameter.value == Value::word || is_list(parameter.value))
    value = parameter.words.empty() ? "x" : std::string(parameter.words.substr(0, parameter.words.find('|')));
  return parameter.key.empty() ? value : fmt::format("{}={}", parameter.key, value);
}

std::string arguments_of(const Row& row) {
  std::string out;
  for (const Parameter& parameter : row.takes()) {
    if (parameter.required) out += (out.empty() ? ":" : ",") + argument_of(parameter);
  }
  return out;
}

/// "pp4" for "pp", "dp2" for "dp|h|w".
std::string smallest_mesh(std::string_view axes) {
  const std::string_view first = axes.substr(0, axes.find('|'));
  return fmt::format("{}{}", first, first == "pp" ? 4 : 2);
}

}  // namespace

std::string written(const Row& row) { return std::string(mark(row.kind)) + std::string(row.name); }

const Row* row_written(std::string_view text) {
  const auto all = table();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Row& row) { return written(row) == text; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<const Row*> rows_of(const text::Strategy& strategy) {
  std::vector<const Row*> out;
  const auto add = [&](std::string_view before, std::string_view name) {
    if (const Row* row = find(before, name)) out.push_back(row);
  };
  for (const text::MeshAxis& axis : strategy.axes) add("", text::name(axis.axis));
  for (const text::Term& pass : strategy.passes) add("/", pass.name);
  for (const text::Term& agreement : strategy.agreements) add("+", agreement.name);
  if (strategy.collective) add("@", strategy.collective->name);
  return out;
}

std::vector<std::string> printed(const text::Strategy& strategy) {
  std::vector<std::string> out;
  for (const text::MeshAxis& axis : strategy.axes) out.push_back(fmt::format("{}{}", text::name(axis.axis), axis.size));
  for (const text::Term& pass : strategy.passes) out.push_back(text::print(pass));
  for (const text::Term& agreement : strategy.agreements) out.push_back(text::print(agreement));
  if (strategy.collective) out.push_back("@" + text::print(*strategy.collective));
  return out;
}

bool claim_covers(const std::string& claim, const std::string& term) {
  std::string wanted = term;
  if (claim.find(':') == std::string::npos) wanted = wanted.substr(0, wanted.find(':'));
  size_t at = 0;
  for (size_t i = 0; i < claim.size();) {
    if (claim.compare(i, 3, "{n}") == 0) {
      const size_t start = at;
      while (at < wanted.size() && wanted[at] >= '0' && wanted[at] <= '9') ++at;
      if (at == start) return false;
      i += 3;
    } else {
      if (at >= wanted.size() || wanted[at] != claim[i]) return false;
      ++at, ++i;
    }
  }
  return at == wanted.size();
}

bool is_claimed(const Row& row, const std::string& claim) {
  std::string head = claim.substr(0, claim.find(':'));
  if (row.kind == Kind::collective) return head == written(row);
  if (row.kind == Kind::axis) {
    if (head.ends_with("{n}")) head.resize(head.size() - 3);
    head.erase(head.find_last_not_of("0123456789") + 1);
  }
  return head == row.name;
}

text::Strategy example(const Row& row) {
  if (row.kind == Kind::axis) return text::parse_strategy(smallest_mesh(row.name));
  const bool distributed = mark(row.kind) != "/";  // there is nothing to agree on, or to send, on one rank
  const std::string mesh = !row.needs.empty() ? smallest_mesh(row.needs) : distributed ? "dp2" : "serial";
  return text::parse_strategy(mesh + written(row) + arguments_of(row));
}

}  // namespace lockstep::terms
