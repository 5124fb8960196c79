#include "workloads/data/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <variant>

#include "adapters/contract/failure.h"
#include "adapters/contract/invariant.h"
#include "workloads/data/nearest_remedy.h"
#include "workloads/data/node.h"

namespace lockstep::workloads {

namespace {

constexpr double kWhole = 9007199254740992.0;  // 2^53: every JSON reader holds whole numbers up to here

using Member = std::variant<double Recipe::*, int64_t Recipe::*, uint64_t Recipe::*, std::optional<double> Recipe::*,
                            Optimizer Recipe::*, Schedule Recipe::*, Precision Recipe::*>;

enum class Bounds { closed, open_low, open_high };  // whether `low` or `high` itself is left out

struct Key {
  std::string name;
  Member member;
  double low = 0, high = 0;
  Bounds bounds = Bounds::closed;
};

const std::vector<Key>& table() {
  static const std::vector<Key> rows = {
      {"optimizer", &Recipe::optimizer},
      {"lr", &Recipe::lr, 0, 1000, Bounds::open_low},
      {"momentum", &Recipe::momentum, 0, 1, Bounds::open_high},
      {"beta1", &Recipe::beta1, 0, 1, Bounds::open_high},
      {"beta2", &Recipe::beta2, 0, 1, Bounds::open_high},
      {"epsilon", &Recipe::epsilon, 0, 1, Bounds::open_low},
      {"weight_decay", &Recipe::weight_decay, 0, 1000},
      {"trust", &Recipe::trust, 0, 1000, Bounds::open_low},
      {"batch", &Recipe::batch, 1, 1e9},
      {"schedule", &Recipe::schedule},
      {"warmup_steps", &Recipe::warmup_steps, 0, 1e9},
      {"final_lr_fraction", &Recipe::final_lr_fraction, 0, 1},
      {"clip", &Recipe::clip, 0, 1e9, Bounds::open_low},
      {"precision", &Recipe::precision},
      {"seed", &Recipe::seed, 0, kWhole},
      {"dropout", &Recipe::dropout, 0, 1, Bounds::open_high},
  };
  return rows;
}

const std::vector<std::string>& words_of(Optimizer) {
  static const std::vector<std::string> words = {"sgd", "momentum", "nesterov", "adamw", "lars", "lamb"};
  return words;
}
const std::vector<std::string>& words_of(Schedule) {
  static const std::vector<std::string> words = {"constant", "linear", "cosine"};
  return words;
}
const std::vector<std::string>& words_of(Precision) {
  static const std::vector<std::string> words = {"fp32", "fp64"};
  return words;
}

struct Site {
  const Key& key;
  std::string_view value;
  const std::string &file, &place;

  [[noreturn]] void fail(const std::string& rule, const std::string& remedy) const {
    refuse({file, place, std::string(value), rule, remedy});
  }
};

std::string range_of(const Key& key) {
  return fmt::format("{} must be {} {} and {} {}", key.name, key.bounds == Bounds::open_low ? "above" : "at least",
                     key.low, key.bounds == Bounds::open_high ? "below" : "at most", key.high);
}

template <class Number>
Number number(const Site& site) {
  Number out{};
  const char* const end = site.value.data() + site.value.size();
  const auto [stop, error] = std::from_chars(site.value.data(), end, out);
  if (error != std::errc() || stop != end) site.fail(range_of(site.key), "write a plain number such as 1 or 0.001");
  const auto value = static_cast<double>(out);
  const bool low = site.key.bounds == Bounds::open_low ? value > site.key.low : value >= site.key.low;
  const bool high = site.key.bounds == Bounds::open_high ? value < site.key.high : value <= site.key.high;
  if (!low || !high) site.fail(range_of(site.key), "choose a value in the range");  // NaN fails both comparisons
  return out;
}

void read(double& out, const Site& site) { out = number<double>(site); }
void read(int64_t& out, const Site& site) { out = number<int64_t>(site); }
void read(uint64_t& out, const Site& site) { out = number<uint64_t>(site); }
void read(std::optional<double>& out, const Site& site) {
  out = site.value == "none" ? std::nullopt : std::optional(number<double>(site));
}
template <class Word>
requires std::is_enum_v<Word>
void read(Word& out, const Site& site) {
  const auto& words = words_of(out);
  const auto found = std::find(words.begin(), words.end(), site.value);
  if (found == words.end()) {
    site.fail(fmt::format("is no {} that there is", site.key.name), nearest_remedy("word", site.value, words));
  }
  out = static_cast<Word>(found - words.begin());
}

std::string text(double value) { return fmt::format("{}", value); }
std::string text(int64_t value) { return fmt::format("{}", value); }
std::string text(uint64_t value) { return fmt::format("{}", value); }
std::string text(const std::optional<double>& value) { return value ? text(*value) : "none"; }
template <class Word>
requires std::is_enum_v<Word> std::string text(Word value) { return words_of(value)[static_cast<size_t>(value)]; }

nlohmann::ordered_json json_of(const auto& value) {
  using Value = std::remove_cvref_t<decltype(value)>;
  if constexpr (std::is_enum_v<Value>) {
    return text(value);
  } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  } else {
    return value;
  }
}

const Key* find(std::string_view name) {
  for (const Key& key : table()) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

}  // namespace

bool keeps_velocity(Optimizer optimizer) {
  return optimizer == Optimizer::momentum || optimizer == Optimizer::nesterov;
}

bool has_rates_by_tensor(Optimizer optimizer) { return optimizer == Optimizer::lars || optimizer == Optimizer::lamb; }

int optimizer_arrays(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return 0;
    case Optimizer::momentum:
    case Optimizer::nesterov:
    case Optimizer::lars:
      return 1;
    case Optimizer::adamw:
    case Optimizer::lamb:
      return 2;
  }
  return 0;
}

const std::vector<std::string>& recipe_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> out;
    for (const Key& key : table()) out.push_back(key.name);
    return out;
  }();
  return keys;
}

void set_recipe(Recipe& recipe, std::string_view key, std::string_view value, const std::string& file,
                const std::string& place) {
  const Key* row = find(key);
  if (row == nullptr) {
    refuse({file, place, std::string(key), "is no key of a recipe", nearest_remedy("key", key, recipe_keys())});
  }
  std::visit([&](auto member) { read(recipe.*member, Site{*row, value, file, place}); }, row->member);
}

std::string recipe_text(const Recipe& recipe, std::string_view key) {
  const Key* row = find(key);
  LOCKSTEP_INVARIANT(row != nullptr, "no recipe key '{}'", key);
  return std::visit([&](auto member) { return text(recipe.*member); }, row->member);
}

void read_recipe(Recipe& recipe, const nlohmann::ordered_json& json, const std::string& file,
                 const std::string& place) {
  const Node node(json, file, place);
  node.only(recipe_keys());
  for (const auto& [key, member] : node.members()) {
    const auto& value = member.json();
    const std::string as_text = value.is_null() ? "none" : value.is_string() ? member.text() : value.dump();
    set_recipe(recipe, key, as_text, file, member.place());
  }
}

Recipe recipe_from_json(const nlohmann::json& json, const std::string& file) {
  Recipe recipe;
  read_recipe(recipe, nlohmann::ordered_json(json), file, "$.recipe");
  return recipe;
}

nlohmann::ordered_json to_json(const Recipe& recipe) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const Key& key : table()) {
    out[key.name] = std::visit([&](auto member) { return json_of(recipe.*member); }, key.member);
  }
  return out;
}

}  // namespace lockstep::workloads
