#pragma once

#include <cctype>
#include <string>
#include <vector>

namespace lockstep {

/// What a test is called by the texts that tell it from its siblings: letters and digits as they are, anything else
/// "_".
inline std::string test_name(const std::vector<std::string>& parts, const std::vector<std::string>& more = {}) {
  std::string name;
  for (const auto* texts : {&parts, &more}) {
    for (const std::string& text : *texts) {
      if (!name.empty()) name += '_';
      for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    }
  }
  return name;
}

}  // namespace lockstep
