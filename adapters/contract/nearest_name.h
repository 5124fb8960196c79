#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::contract {

/// The known name with the least edit distance (Levenshtein 1966) to `name`; "" when every one is further away than
/// half of its length, so that an error never suggests nonsense.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace lockstep::contract
