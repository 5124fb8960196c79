#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

/// The parts of "git,torch"; none of "".
inline std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at) out.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return out;
}

}  // namespace lockstep::cli
