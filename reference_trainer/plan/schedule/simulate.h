#pragma once

#include <vector>

#include "reference_trainer/plan/schedule/walk.h"

namespace lockstep::schedule {

/// What a rank does from `start` to `end`: the row of a picture or a page.
struct Interval {
  int rank = 0;
  double start = 0, end = 0;
  ActionKind kind = ActionKind::F;
  int stage = 0;
  int64_t microbatch = 0;
};

struct Simulation {
  std::vector<Interval> intervals;  ///< by start; what takes no time is left out
  double makespan = 0;              ///< from the first start to the last end
  double longest_span = 0;          ///< the longest that one rank takes from its first start to its last end
  std::vector<double> busy;         ///< by rank: time in F, B, I, W
  std::vector<int> most_held;       ///< by rank: activations (of a microbatch at a stage) held at once, at most
  double bubble = 0;                ///< idle share of all ranks' time in the makespan
  double span_bubble = 0;           ///< the same where a step takes each rank the longest span, one step after another
};

/// Time of a microbatch at the slowest stage: what each takes once a pipeline without a flush is full.
double slowest_stage(const std::vector<Times>& stages);

/// Runs a checked schedule, with transfers in its lists or without. One that blocks is a broken invariant.
Simulation simulate(const Schedule&, const Durations&, Crossing = Crossing::implied);

}  // namespace lockstep::schedule
