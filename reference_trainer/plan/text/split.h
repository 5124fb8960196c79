#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace lockstep::text {

/// The parts of a list; none of an empty one.
inline std::vector<std::string_view> split(std::string_view list, char separator) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    const size_t end = std::min(list.find(separator), list.size());
    out.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

}  // namespace lockstep::text
