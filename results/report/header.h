#pragma once

#include <string>

#include "results/snapshot/snapshot.h"

namespace lockstep::report {

/// "quickstart: campaign @1, 108 launches in 3 min 34 s: 108 finished, 0 failed; 0 of 18 cells skipped"
std::string counts_line(const snapshot::CampaignSnapshot& snapshot);

/// Planned launches of a campaign that is over, of which the store has no row: it was interrupted before their turn. 0
/// for a part of a campaign: how many of them were planned is not known.
int64_t never_started(const snapshot::CampaignSnapshot& snapshot);

/// "120 of 180 launches were never started: lockstep run --resume @1 goes on"; empty where all were.
std::string never_started_line(const snapshot::CampaignSnapshot& snapshot);

/// What stands above the table: what ran and how it ended, the machine, how it was measured, the units.
std::string header(store::Store& store, const snapshot::CampaignSnapshot& snapshot);

}  // namespace lockstep::report
