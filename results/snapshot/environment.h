#pragma once

#include <string>
#include <vector>

#include "results/store/store.h"

namespace lockstep::snapshot {

/// A key of two environments whose values differ, or that one of them lacks ("").
struct Difference {
  std::string key;  ///< "machine.cpu", "versions.torch"
  std::string a, b;
  bool must_match = false;  ///< with it, times are not comparable

  bool operator==(const Difference&) const = default;
};

/// Keys in alphabetical order. Processor, device and versions must match, but for those that `vary` names ("git",
/// "torch", "variables.OMP_WAIT_POLICY"): the last word of a key is enough. What a reboot changes (kernel, host name,
/// memory size) is told and does not count.
std::vector<Difference> environment_differences(const std::string& a_json, const std::string& b_json,
                                                const std::vector<std::string>& vary);

}  // namespace lockstep::snapshot
