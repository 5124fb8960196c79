#pragma once

#include <string>
#include <vector>

#include "reference_trainer/plan/collective/algorithms.h"

namespace lockstep::collective {

struct Case {
  const Algorithm* algorithm;
  Operation operation;
  int ranks;
};

/// Every row of the table that has a program x its operations x legal rank counts up to `most`.
inline std::vector<Case> all_cases(int most) {
  std::vector<Case> cases;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.generate == nullptr) continue;
    for (const Operation operation : algorithm.operations) {
      for (int ranks = algorithm.fewest_ranks; ranks <= most && ranks <= algorithm.most_ranks; ++ranks) {
        cases.push_back({&algorithm, operation, ranks});
      }
    }
  }
  return cases;
}

inline std::string label(const Case& c) {
  return std::string(name(c.operation)) + " " + std::string(c.algorithm->name) + " on " + std::to_string(c.ranks);
}

}  // namespace lockstep::collective
