#pragma once

#include <string>
#include <vector>

#include "harness/places/places.h"
#include "harness/run/campaign.h"
#include "harness/run/carry.h"
#include "harness/suite/cells.h"
#include "harness/suite/suite.h"

namespace lockstep::run {

/// What a suite would do.
struct DryRun {
  suite::Suite suite;
  std::vector<suite::PlannedCell> cells;
  Carry carry;
  int64_t runnable = 0, refused = 0, launches = 0;
  double known_seconds = 0;  ///< estimated from what the store has, of `known_cells`
  int64_t known_cells = 0;
};

/// Expands and checks; starts nothing, not even a probe. The time is estimated from earlier launches of the same cells.
DryRun dry_run(const suite::Suite& suite, const Settings& settings, const places::Places& places);

std::string to_text(const DryRun& plan);
std::string to_json(const DryRun& plan);

}  // namespace lockstep::run
