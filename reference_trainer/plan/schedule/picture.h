#pragma once

#include <string>

#include "reference_trainer/plan/schedule/schedule.h"
#include "reference_trainer/plan/schedule/simulate.h"

namespace lockstep::schedule {

/// One row a rank, one column `unit` of time: "F3" where the forward of microbatch 3 starts, "--" where it goes on,
/// ".." where the rank is idle. With several stages a rank a letter says which of them: F3a is its first one.
std::string picture(const Schedule&, const Simulation&, double unit = 1);

}  // namespace lockstep::schedule
