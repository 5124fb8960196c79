#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference_trainer/plan/text/term.h"

namespace lockstep::text {

/// id[:key=value{,key=value}], e.g. pytorch:env=torch-2.15,bucket_cap_mb=100. `env` and `version` stand first, then the
/// adapter's options by name.
struct SystemText {
  std::string id;
  std::vector<Argument> options;
  bool operator==(const SystemText&) const = default;

  /// The value of an option, or nullptr.
  const std::string* find(std::string_view key) const;
};

SystemText parse_system(std::string_view text);
std::string print(const SystemText& system);

}  // namespace lockstep::text
