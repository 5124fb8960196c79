#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "reference_trainer/plan/schedule/table.h"

namespace lockstep::schedule {

struct Case {
  const Row* row;
  Numbers numbers;
};

/// Every schedule with up to 8 ranks and every legal number of microbatches of a few: what the tests iterate.
inline std::vector<Case> all_cases() {
  std::vector<Case> out;
  for (const Row& row : schedules()) {
    const bool chunked = row.name == "interleaved";
    for (int ranks = 1; ranks <= 8; ++ranks) {
      for (const int microbatches : {1, 2, 3, 4, 6, 7, 8, 12, 14, 16, 21, 24, 32}) {
        for (int chunks = chunked ? 2 : 1; chunks <= (chunked ? 4 : 1); ++chunks) {
          const Numbers numbers{.ranks = ranks, .microbatches = microbatches, .chunks = chunks};
          if (why_not(row, numbers).empty()) out.push_back({&row, numbers});
        }
      }
    }
  }
  return out;
}

inline std::string label(const Case& c) {
  return fmt::format("{} p={} m={} v={}", c.row->name, c.numbers.ranks, c.numbers.microbatches, c.numbers.chunks);
}

}  // namespace lockstep::schedule
