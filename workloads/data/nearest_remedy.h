#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::workloads {

/// "the nearest known key is 'lr'; known: lr, batch": the remedy for an unknown word of some kind.
std::string nearest_remedy(std::string_view kind, std::string_view word, const std::vector<std::string>& candidates);

}  // namespace lockstep::workloads
