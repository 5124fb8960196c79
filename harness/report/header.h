#pragma once

#include <string>

#include "results/snapshot/snapshot.h"

namespace lockstep::report {

/// What stands above the table: what ran and how it ended, the machine, how it was measured, the units.
std::string header(store::Store& store, const snapshot::CampaignSnapshot& snapshot);

}  // namespace lockstep::report
