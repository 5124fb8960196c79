#include "workloads/data/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "adapters/contract/failure.h"
#include "adapters/contract/json_document.h"
#include "workloads/data/nearest_remedy.h"

namespace lockstep::workloads {

namespace {

std::string shortened(const std::string& text) { return text.size() <= 60 ? text : text.substr(0, 57) + "..."; }

}  // namespace

void Node::refuse(const std::string& rule, const std::string& remedy) const {
  lockstep::refuse({*file_, place_, shortened(json_->dump()), rule, remedy});
}

std::optional<Node> Node::find(const std::string& key) const {
  if (!json_->is_object()) refuse("must be an object", "write { ... }");
  const auto found = json_->find(key);
  if (found == json_->end()) return std::nullopt;
  return Node(*found, *file_, place_ + "." + key);
}

Node Node::at(const std::string& key) const {
  const auto node = find(key);
  if (!node) refuse(fmt::format("'{}' is missing", key), fmt::format("add the key '{}'", key));
  return *node;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  if (!json_->is_object()) refuse("must be an object", "write { ... }");
  std::vector<std::pair<std::string, Node>> out;
  for (const auto& [key, value] : json_->items()) out.emplace_back(key, Node(value, *file_, place_ + "." + key));
  return out;
}

std::vector<Node> Node::elements() const {
  if (!json_->is_array()) refuse("must be a list", "write [ ... ]");
  std::vector<Node> out;
  for (const Json& value : *json_) out.emplace_back(value, *file_, fmt::format("{}[{}]", place_, out.size()));
  return out;
}

void Node::only(const std::vector<std::string>& known) const {
  for (const auto& [key, node] : members()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    node.refuse(fmt::format("'{}' is no known key", key), nearest_remedy("key", key, known));
  }
}

std::string Node::text() const {
  if (!json_->is_string()) refuse("must be a text", "put it in quotes");
  return json_->get<std::string>();
}

int64_t Node::integer(int64_t low, int64_t high) const {
  const std::string rule = fmt::format("must be a whole number from {} to {}", low, high);
  if (!json_->is_number_integer()) refuse(rule, "write it without quotes or fraction");
  const auto value = json_->get<int64_t>();
  if (value < low || value > high) refuse(rule, "choose a value in the range");
  return value;
}

double Node::number() const {
  if (!json_->is_number()) refuse("must be a number", "write it without quotes");
  return json_->get<double>();
}

Json read_json(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse({path.string(), "", "", "cannot be opened", "check the path"});
  return parse_document(std::string(std::istreambuf_iterator<char>(in), {}), path.string());
}

}  // namespace lockstep::workloads
