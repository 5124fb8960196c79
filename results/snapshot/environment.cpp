#include "results/snapshot/environment.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace lockstep::snapshot {

namespace {

using Keys = std::map<std::string, std::string>;

void flatten(const nlohmann::json& node, const std::string& path, Keys& out) {
  if (!node.is_object()) {
    out[path] = node.is_string() ? node.get<std::string>() : node.dump();
    return;
  }
  for (const auto& [key, value] : node.items()) flatten(value, path.empty() ? key : path + "." + key, out);
}

// The probe repeats the versions; the system is a part of the cell.
Keys keys_of(const std::string& text) {
  nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  Keys out;
  if (!document.is_object()) return out;
  document.erase("probe"), document.erase("system");
  flatten(document, "", out);
  return out;
}

std::string value_of(const Keys& keys, const std::string& key) {
  const auto found = keys.find(key);
  return found == keys.end() ? "" : found->second;
}

bool starts_with_any(const std::string& key, std::initializer_list<const char*> fronts) {
  return std::any_of(fronts.begin(), fronts.end(), [&](const char* front) { return key.starts_with(front); });
}

bool must_match(const std::string& key) {
  // Where Python lies and which build of ours ran say nothing about the rest of the environment.
  if (starts_with_any(key, {"versions.interpreter", "versions.git", "versions.lockstep"})) return false;
  return starts_with_any(key, {"machine.cpu", "machine.processors", "machine.cores", "machine.gpu",
                               "machine.architecture", "device", "versions.", "variables."});
}

bool varies(const std::string& key, const std::vector<std::string>& vary) {
  const std::string last = key.substr(key.rfind('.') + 1);
  return std::any_of(vary.begin(), vary.end(), [&](const std::string& name) { return name == key || name == last; });
}

}  // namespace

std::vector<Difference> environment_differences(const std::string& a_json, const std::string& b_json,
                                                const std::vector<std::string>& vary) {
  const Keys a = keys_of(a_json), b = keys_of(b_json);
  std::set<std::string> all;
  for (const Keys* side : {&a, &b}) {
    for (const auto& [key, value] : *side) all.insert(key);
  }
  std::vector<Difference> out;
  for (const std::string& key : all) {
    const std::string ours = value_of(a, key), theirs = value_of(b, key);
    if (ours != theirs) out.push_back({key, ours, theirs, must_match(key) && !varies(key, vary)});
  }
  return out;
}

}  // namespace lockstep::snapshot
