#pragma once

#include <cstdint>
#include <vector>

#include "reference_trainer/plan/schedule/schedule.h"

namespace lockstep::schedule {

/// A rank's list as a start, a body that is repeated, and an end: for pipelines without flush, whose step never ends.
/// In repetition k the body's microbatch numbers are `shift` x k higher; the end's are as written.
struct Periodic {
  Actions prologue, body, epilogue;
  int repetitions = 0;
  int shift = 1;

  /// The list again.
  Actions unfolded() const;
};

/// Finds in every list of a schedule the body that goes over `shift` microbatches (per_update of them, so that every
/// body ends in the same phase of an update), with the same number of repetitions on all ranks. Lists that are too
/// short to repeat anything have repetitions 0 and are all prologue.
std::vector<Periodic> fold(const Schedule&);

}  // namespace lockstep::schedule
