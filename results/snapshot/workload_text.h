#pragma once

#include <string>

namespace lockstep::snapshot {

/// "gpt-austen" of "gpt-austen:tiny,lr=0.01"; also the id of a system and the name of a fabric.
inline std::string id_of(const std::string& text) { return text.substr(0, text.find(':')); }

/// "gpt-austen:tiny" of "gpt-austen:tiny,lr=0.01".
inline std::string without_arguments(const std::string& text) { return text.substr(0, text.find(',')); }

/// "tiny" of "gpt-austen:tiny,lr=0.01"; canonical texts always have a preset, others mean tiny.
inline std::string preset_of(const std::string& workload) {
  const std::string head = without_arguments(workload);
  const size_t colon = head.find(':');
  return colon == std::string::npos ? "tiny" : head.substr(colon + 1);
}

}  // namespace lockstep::snapshot
