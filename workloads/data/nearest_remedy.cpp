#include "workloads/data/nearest_remedy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "adapters/contract/nearest.h"

namespace lockstep::workloads {

std::string nearest_remedy(std::string_view kind, std::string_view word, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return fmt::format("there is no {} here", kind);
  return fmt::format("the nearest {} is '{}'; known: {}", kind, nearest(word, candidates), fmt::join(candidates, ", "));
}

}  // namespace lockstep::workloads
