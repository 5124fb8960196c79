#pragma once

#include <string>

#include "results/snapshot/snapshot.h"

namespace lockstep::report {

/// "quickstart: campaign @1, 108 launches in 3 min 34 s: 108 finished, 0 failed; 0 of 18 cells skipped"
std::string counts_line(const snapshot::CampaignSnapshot& snapshot);

/// What stands above the table: what ran and how it ended, the machine, how it was measured, the units.
std::string header(store::Store& store, const snapshot::CampaignSnapshot& snapshot);

}  // namespace lockstep::report
