#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"

/// Reading of JSON objects with messages that name the file, the place and the rule. For .cpp files alone.
namespace lockstep::contract {

/// The words of a rule message for what a C++ type takes.
template <class T>
constexpr const char* json_words() {
  if constexpr (std::is_same_v<T, bool>)
    return "must be true or false";
  else if constexpr (std::is_integral_v<T>)
    return "must be an integer";
  else if constexpr (std::is_floating_point_v<T>)
    return "must be a number";
  else if constexpr (std::is_same_v<T, std::string>)
    return "must be a text";
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return "must be a list of texts";
  else
    return "must be an object of texts";
}

/// One JSON object that is being read.
class Fields {
 public:
  Fields(const nlohmann::ordered_json& object, std::filesystem::path file, std::string place)
      : object_(object), file_(std::move(file)), place_(std::move(place)) {
    if (!object_.is_object()) complain("", object_.dump(), "must be an object", "");
  }

  bool has(const char* key) const { return object_.contains(key) && !object_.at(key).is_null(); }

  /// Leaves `out` alone when the key is absent.
  template <class T>
  void optional(const char* key, T& out) const {
    if (!has(key)) return;
    const nlohmann::ordered_json& value = object_.at(key);
    if (!fits<T>(value)) complain(key, value.dump(), json_words<T>(), "");
    out = value.get<T>();
  }
  template <class T>
  void required(const char* key, T& out) const {
    if (!has(key)) complain(key, "", "is required", "add it");
    optional(key, out);
  }

  Fields object(const char* key) const { return {object_.at(key), file_, place_of(key)}; }

  /// The objects of a list, each with its place; none when the key is absent.
  std::vector<Fields> objects(const char* key) const {
    std::vector<Fields> out;
    if (!has(key)) return out;
    const nlohmann::ordered_json& list = object_.at(key);
    if (!list.is_array()) complain(key, list.dump(), "must be a list", "");
    for (size_t i = 0; i < list.size(); ++i) out.emplace_back(list[i], file_, fmt::format("{}[{}]", place_of(key), i));
    return out;
  }

  /// JSON text of a member; `fallback` when it is absent.
  std::string text_of(const char* key, const std::string& fallback) const {
    return has(key) ? object_.at(key).dump() : fallback;
  }

  /// Every key must be one of these.
  void only(const std::vector<std::string>& known) const {
    for (const auto& item : object_.items()) {
      if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
      const std::string near = nearest(item.key(), known);
      complain(item.key(), "", "is not a known key", near.empty() ? "remove it" : "did you mean " + near + "?");
    }
  }

  [[noreturn]] void complain(const std::string& key, const std::string& value, const std::string& rule,
                             const std::string& remedy) const {
    refuse({file_.string(), key.empty() ? place_ : place_of(key), value.substr(0, 120), rule, remedy});
  }

 private:
  std::string place_of(const std::string& key) const { return place_.empty() ? key : place_ + "." + key; }

  template <class T>
  static bool fits(const nlohmann::ordered_json& value) {
    const auto is_text = [](const nlohmann::ordered_json& v) { return v.is_string(); };
    if constexpr (std::is_same_v<T, bool>)
      return value.is_boolean();
    else if constexpr (std::is_integral_v<T>)
      return value.is_number_integer();
    else if constexpr (std::is_floating_point_v<T>)
      return value.is_number();
    else if constexpr (std::is_same_v<T, std::string>)
      return value.is_string();
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
      return value.is_array() && std::all_of(value.begin(), value.end(), is_text);
    else
      return value.is_object() && std::all_of(value.begin(), value.end(), is_text);
  }

  const nlohmann::ordered_json& object_;
  std::filesystem::path file_;
  std::string place_;
};

/// The whole of a file. Throws Failure("usage").
std::string read_text(const std::filesystem::path& file);

}  // namespace lockstep::contract
