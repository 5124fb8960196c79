#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::workloads {

using Json = nlohmann::ordered_json;

/// A JSON value that knows its file and its path in it ("$.presets.tiny.steps"), so that every refusal names both.
/// Refers to `json` and `file`, which must outlive it.
class Node {
 public:
  Node(const Json& json, const std::string& file, std::string place = "$")
      : json_(&json), file_(&file), place_(std::move(place)) {}

  const Json& json() const { return *json_; }
  const std::string& file() const { return *file_; }
  const std::string& place() const { return place_; }

  /// A member; refused when it is missing, or this is no object.
  Node at(const std::string& key) const;
  std::optional<Node> find(const std::string& key) const;
  /// All members or elements, in the file's order.
  std::vector<std::pair<std::string, Node>> members() const;
  std::vector<Node> elements() const;
  /// Refuses members that are none of `known`, naming the nearest.
  void only(const std::vector<std::string>& known) const;

  std::string text() const;
  int64_t integer(int64_t low, int64_t high) const;
  double number() const;

  [[noreturn]] void refuse(const std::string& rule, const std::string& remedy) const;

 private:
  const Json* json_;
  const std::string* file_;
  std::string place_;
};

/// Reads a document as parse_document; refused when it is missing.
Json read_json(const std::filesystem::path& path);

}  // namespace lockstep::workloads
