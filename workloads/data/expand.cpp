#include "workloads/data/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "workloads/data/nearest_remedy.h"

namespace lockstep::workloads {

namespace {

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

const Json& lookup(const Node& node, const Scope& scope, const std::string& name) {
  const auto found = scope.find(name);
  if (found != scope.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [key, value] : scope) known.push_back(key);
  node.refuse(fmt::format("'${}' is no variable here", name), nearest_remedy("variable", name, known));
}

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// Reads [A-Za-z0-9_]* at `at` and moves `at` behind it.
std::string take_name(const std::string& text, size_t& at) {
  const size_t begin = at;
  while (at < text.size() && is_name(text[at])) ++at;
  return text.substr(begin, at - begin);
}

/// Whether the text is wholly a product or quotient that begins with a variable.
bool is_expression(const std::string& text) {
  return text[0] == '$' &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_name(c) || c == '$' || c == '*' || c == '/'; });
}

int64_t factor(const Node& node, const Scope& scope, const std::string& text, size_t& at) {
  if (text[at] == '$') {
    const std::string name = take_name(text, ++at);
    const Json& value = lookup(node, scope, name);
    if (!value.is_number_integer()) node.refuse(fmt::format("'${}' is no number", name), "use a numeric variable");
    return value.get<int64_t>();
  }
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  at = static_cast<size_t>(stop - text.data());
  if (error != std::errc() || (at < text.size() && is_name(text[at]))) {
    node.refuse("has a factor that is neither a whole number nor a variable", "write it as \"$width*4\"");
  }
  return value;
}

int64_t evaluate(const Node& node, const Scope& scope, const std::string& text) {
  size_t at = 0;
  int64_t value = factor(node, scope, text, at);
  while (at < text.size()) {
    const char operation = text[at++];
    const int64_t right = factor(node, scope, text, at);
    if (operation == '/' && (right == 0 || value % right != 0)) {
      node.refuse(fmt::format("{} / {} is not a whole number", value, right), "choose values that divide");
    }
    const bool overflow = operation == '*' && __builtin_mul_overflow(value, right, &value);
    if (overflow) node.refuse("is too large", "choose smaller values");
    if (operation == '/') value /= right;
  }
  return value;
}

std::string interpolate(const Node& node, const Scope& scope, const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '$') {
      out += text_of(lookup(node, scope, take_name(text, ++at)));
    } else {
      out += text[at++];
    }
  }
  return out;
}

Json substitute_text(const Node& node, const Scope& scope) {
  const auto text = node.json().get<std::string>();
  if (text.find('$') == std::string::npos) return text;
  if (!is_expression(text)) return interpolate(node, scope, text);
  if (text.find_first_of("*/") != std::string::npos) return evaluate(node, scope, text);
  return lookup(node, scope, text.substr(1));
}

class Expansion {
 public:
  explicit Expansion(std::set<std::string> tensors) : tensors_(std::move(tensors)) {}

  void add(const Node& list, Scope& scope) {
    for (const Node& entry : list.elements()) {
      if (entry.find("repeat")) {
        repeat(entry, scope);
      } else {
        op(entry, scope);
      }
    }
  }

  Json take() { return std::move(ops_); }

 private:
  void repeat(const Node& entry, Scope& scope) {
    entry.only({"repeat", "index", "from", "as", "ops", "yields"});
    const Json resolved = substitute(entry.at("repeat"), scope);
    const int64_t count = Node(resolved, entry.file(), entry.at("repeat").place()).integer(1, 10000);
    const std::string index = entry.at("index").text(), carried = entry.at("as").text();
    scope[carried] = substitute(entry.at("from"), scope);
    for (int64_t i = 0; i < count; ++i) {
      scope[index] = i;
      add(entry.at("ops"), scope);
      scope[carried] = substitute(entry.at("yields"), scope);
    }
    scope.erase(index);
  }

  void op(const Node& entry, const Scope& scope) {
    const Json resolved = substitute(entry, scope);
    const Node op(resolved, entry.file(), entry.place());
    op.at("op").text();
    const Node in = op.at("in");
    if (in.json().is_array()) {
      for (const Node& operand : in.elements()) known(operand);
    } else {
      known(in);
    }
    const Node name = op.at("name");
    if (!tensors_.insert(name.text()).second) name.refuse("is the name of another tensor", "choose a name of its own");
    ops_.push_back(resolved);
  }

  void known(const Node& operand) const {
    const std::string name = operand.text();
    if (tensors_.count(name) != 0) return;
    operand.refuse("is no input and no earlier op",
                   nearest_remedy("tensor", name, std::vector<std::string>(tensors_.begin(), tensors_.end())));
  }

  std::set<std::string> tensors_;
  Json ops_ = Json::array();
};

}  // namespace

Json substitute(const Node& node, const Scope& scope) {
  if (node.json().is_string()) return substitute_text(node, scope);
  if (node.json().is_array()) {
    Json out = Json::array();
    for (const Node& element : node.elements()) out.push_back(substitute(element, scope));
    return out;
  }
  if (node.json().is_object()) {
    Json out = Json::object();
    for (const auto& [key, member] : node.members()) out[key] = substitute(member, scope);
    return out;
  }
  return node.json();
}

Json expand_graph(const Node& graph, Scope scope, std::set<std::string> tensors) {
  Expansion expansion(std::move(tensors));
  expansion.add(graph, scope);
  return expansion.take();
}

}  // namespace lockstep::workloads
