#pragma once

#include "results/snapshot/snapshot.h"

namespace lockstep::snapshot {

/// A snapshot of these cells from these launches, whichever campaigns they are of.
CampaignSnapshot assemble(store::Store& store, const store::CampaignRow& campaign,
                          const std::vector<store::CellRow>& cells, std::vector<store::LaunchRow> launches,
                          const Filter& filter, double level);

}  // namespace lockstep::snapshot
