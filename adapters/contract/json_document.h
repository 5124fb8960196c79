#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/contract/failure.h"
#include "adapters/contract/json_words.h"

namespace lockstep {

/// A document that a person may have written: // comments are allowed, members keep their order. Throws
/// Failure("usage") with line and column of what is no JSON, and for a key that an object has twice, of which one would
/// be lost without a word.
inline nlohmann::ordered_json parse_document(std::string_view text, const std::filesystem::path& file) {
  using Json = nlohmann::ordered_json;
  std::vector<std::set<std::string>> open;  // the keys so far of each object around the current value
  const auto twice = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second) {
      refuse({file.string(), value.get<std::string>(), "", "this key stands twice in one object", "keep one of them"});
    }
    return true;
  };
  try {
    return Json::parse(text, twice, true, /*ignore_comments=*/true);
  } catch (const Json::parse_error& error) {
    // "parse error at line 1, column 114: syntax error while ..."
    const std::string words = json_words(error.what());
    const std::string_view lead = "parse error at ";
    const size_t colon = words.find(": ");
    const bool known = words.starts_with(lead) && colon != std::string::npos;
    refuse({file.string(), known ? words.substr(lead.size(), colon - lead.size()) : "", "",
            "is not JSON: " + (known ? words.substr(colon + 2) : words),
            "// comments are allowed, trailing commas are not"});
  }
}

}  // namespace lockstep
