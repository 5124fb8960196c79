#include "workloads/data/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "adapters/contract/failure.h"
#include "workloads/data/nearest_remedy.h"

namespace lockstep::workloads {

namespace {

constexpr int64_t kLargestVariable = 1'000'000'000'000;

struct CountKey {
  std::string name;
  std::optional<int64_t> Settings::*member;
};

const std::vector<CountKey>& counts() {
  static const std::vector<CountKey> rows = {{"samples", &Settings::samples},
                                             {"test_samples", &Settings::test_samples},
                                             {"steps", &Settings::steps},
                                             {"epochs", &Settings::epochs}};
  return rows;
}

struct ChoiceKey {
  std::string name, usual, other;
  bool Settings::*member;
};

const std::vector<ChoiceKey>& choices() {
  static const std::vector<ChoiceKey> rows = {{"data", "real", "synthetic", &Settings::synthetic},
                                              {"scaling", "strong", "weak", &Settings::weak}};
  return rows;
}

int64_t whole(const std::string& key, const std::string& value, const std::string& file, const std::string& place) {
  int64_t out = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, out);
  if (error != std::errc() || stop != end || out < 1 || out > kLargestVariable) {
    refuse({file, place, value, fmt::format("{} must be a whole number from 1 to {}", key, kLargestVariable),
            "choose a value in the range"});
  }
  return out;
}

}  // namespace

std::vector<std::string> Settings::keys() const {
  std::vector<std::string> out = recipe_keys();
  for (const auto& [name, value] : variables) out.push_back(name);
  for (const CountKey& key : counts()) out.push_back(key.name);
  for (const ChoiceKey& key : choices()) out.push_back(key.name);
  return out;
}

void Settings::set(const std::string& key, const std::string& value, const std::string& file,
                   const std::string& place) {
  for (auto& [name, variable] : variables) {
    if (name == key) variable = whole(key, value, file, place);
  }
  for (const CountKey& row : counts()) {
    if (row.name == key) this->*row.member = whole(key, value, file, place);
  }
  if (key == "steps") epochs.reset();
  if (key == "epochs") steps.reset();
  for (const ChoiceKey& row : choices()) {
    if (row.name != key) continue;
    if (value != row.usual && value != row.other) {
      refuse({file, place, value, fmt::format("is no choice for {}", key),
              nearest_remedy("choice", value, {row.usual, row.other})});
    }
    this->*row.member = value == row.other;
  }
  const auto known = keys();
  if (std::find(known.begin(), known.end(), key) == known.end()) {
    refuse({file, place, key, "is no key of this workload", nearest_remedy("key", key, known)});
  }
  const auto& recipe_names = recipe_keys();
  if (std::find(recipe_names.begin(), recipe_names.end(), key) != recipe_names.end()) {
    set_recipe(recipe, key, value, file, place);
  }
}

std::vector<std::string> Settings::differences(const Settings& base) const {
  std::vector<std::string> out;
  for (const std::string& key : recipe_keys()) {
    const std::string text = recipe_text(recipe, key);
    if (text != recipe_text(base.recipe, key)) out.push_back(key + "=" + text);
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    const auto& [name, value] = variables[i];
    if (value != base.variables[i].second) out.push_back(name + "=" + value.dump());
  }
  for (const CountKey& row : counts()) {
    const auto& value = this->*row.member;
    if (value && value != base.*row.member) out.push_back(fmt::format("{}={}", row.name, *value));
  }
  for (const ChoiceKey& row : choices()) {
    if (this->*row.member != base.*row.member) out.push_back(row.name + "=" + row.other);
  }
  return out;
}

Scope Settings::scope(const std::string& file) const {
  Scope out;
  for (const auto& [name, value] : variables) {
    const Json resolved = substitute(Node(value, file, "$.variables." + name), out);
    out[name] = Node(resolved, file, "$.variables." + name).integer(1, kLargestVariable);
  }
  return out;
}

}  // namespace lockstep::workloads
