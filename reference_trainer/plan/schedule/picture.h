#pragma once

#include <string>

#include "reference_trainer/plan/schedule/schedule.h"
#include "reference_trainer/plan/schedule/simulate.h"

namespace lockstep::schedule {

/// "F3"; with several stages a rank a letter says which of them: "F3a" is of its first one.
std::string label(const Schedule&, const Interval&);

/// "stage 2", or where a rank has several stages "rank 2".
std::string row_name(const Schedule&, int rank);

/// One row a rank, one column `unit` of time: "F3" where the forward of microbatch 3 starts, "--" where it goes on,
/// ".." where the rank is idle.
std::string picture(const Schedule&, const Simulation&, double unit = 1);

}  // namespace lockstep::schedule
