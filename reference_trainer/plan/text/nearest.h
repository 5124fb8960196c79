#pragma once

#include <span>
#include <string>
#include <string_view>

namespace lockstep::text {

/// Edit distance with swaps of neighbours (Damerau 1964, the restricted form), letters compared without case.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate with the least edit distance, the first one on a tie; "" when there is none.
std::string nearest(std::string_view word, std::span<const std::string_view> candidates);
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace lockstep::text
