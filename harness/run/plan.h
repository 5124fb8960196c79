#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/suite/cells.h"
#include "harness/suite/suite.h"
#include "results/store/rows.h"

namespace lockstep::run {

/// One launch of a campaign before it started.
struct PlannedLaunch {
  int64_t number = 0;  ///< in its campaign, from 1
  std::string id;
  std::string cell;  ///< canonical text
  store::LaunchMode mode = store::LaunchMode::time;
  int64_t block = 0, repetition = 0;
};

/// All launches in their order: proofs of equal work first (`verify`: cell texts), then the interleaved blocks, then
/// one profiled launch of each reference cell where the suite asks for it. A refused cell has one launch, to be
/// recorded as skipped. Pure but for the identifiers.
std::vector<PlannedLaunch> plan(const suite::Suite& suite, const std::vector<suite::PlannedCell>& cells,
                                const std::vector<std::string>& verify);

/// As a campaign keeps it: a JSON list.
std::string to_json(const std::vector<PlannedLaunch>& launches);
/// Failure "setup" when it is damaged.
std::vector<PlannedLaunch> from_json(const std::string& json);

/// What of a plan is still to do, given what the store has. A launch that was interrupted - or failed, with
/// `again_failed` - gets a new number and id; one that only was begun keeps them.
std::vector<PlannedLaunch> remaining(const std::vector<PlannedLaunch>& planned,
                                     const std::vector<store::LaunchRow>& known, bool again_failed);

}  // namespace lockstep::run
