#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace lockstep {

/// What nlohmann/json says of a document, without its own tag: "[json.exception.type_error.302] type must be string"
/// is "type must be string".
inline std::string json_words(std::string_view what) {
  if (what.starts_with("[json.exception.")) what.remove_prefix(std::min(what.find("] ") + 2, what.size()));
  return std::string(what);
}

}  // namespace lockstep
