#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// Edit distance (Levenshtein 1966): insertions, deletions and substitutions that turn `a` into `b`.
inline size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

/// The known name nearest to what was written, for error messages; empty when there is none.
template <class Names>
std::string nearest(std::string_view written, const Names& names) {
  std::string best;
  size_t best_distance = static_cast<size_t>(-1);
  for (const auto& candidate : names) {
    const std::string_view name(candidate);
    const size_t distance = edit_distance(written, name);
    if (distance < best_distance) best_distance = distance, best = std::string(name);
  }
  return best;
}

}  // namespace lockstep
