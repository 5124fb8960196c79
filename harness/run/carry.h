#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/suite/cells.h"

namespace lockstep::run {

/// What the launches of a suite can show at all, known before it starts.
struct Carry {
  int64_t launches = 0;     ///< a cell, and so pairs of any two
  int64_t comparisons = 0;  ///< that its table will make: one family
  double level = 0;         ///< of a median's interval
  double least_p = 1;       ///< that so many pairs can give
  std::optional<int64_t>
      least_movers;              ///< comparisons that must move together for any to be declared; none: nothing can
  int64_t launches_for_one = 0;  ///< with which a single one can be declared
};

Carry carry_of(const std::vector<suite::PlannedCell>& cells, int64_t launches);

/// In a sentence or two, with the -n that would do where this one does not.
std::string carry_text(const Carry& carry);

}  // namespace lockstep::run
