#pragma once

#include <cstdint>
#include <vector>

#include "profiler/activity/activity.h"
#include "reference_trainer/plan/collective/algorithms.h"
#include "reference_trainer/plan/collective/program.h"

namespace lockstep::collective {

struct Simulation {
  double seconds = 0;                   ///< until the last rank is done
  std::vector<double> finished;         ///< seconds, by rank
  std::vector<int64_t> sent, received;  ///< bytes, by rank
  std::vector<int64_t> messages;        ///< sent, by rank
  int rounds = 0;                       ///< most rounds of a rank
  activity::Trace timeline;             ///< planned: a communication interval for each round of each rank
};

/// Runs a checked program under rendezvous on the alpha-beta-gamma model: buffers of `elements` elements of
/// `element_bytes` bytes, all ranks starting at 0. A program that blocks is a broken invariant: check() it first.
Simulation simulate(const Program&, int64_t elements, int element_bytes, const Link&);

}  // namespace lockstep::collective
