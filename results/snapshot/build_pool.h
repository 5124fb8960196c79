#pragma once

#include <string>
#include <vector>

#include "results/snapshot/snapshot.h"

namespace lockstep::snapshot {

/// Whether a revision as people write it means a stored build's: the one begins with the other, at least 4 digits long,
/// so that 4 and 40 digits do; "+" (files differed from it) stands behind both or neither.
bool means(const std::string& revision, const std::string& build);

/// Revision of our build that a campaign's launches ran with (versions.git of their environments); "" where none says.
std::string build_of(store::Store& store, const store::CampaignRow& campaign);

/// Campaigns of a suite that ran with one build, newest first.
std::vector<store::CampaignRow> campaigns_of_build(store::Store& store, const std::string& build,
                                                   const std::string& suite);

/// The newest `limit` finished launches of each cell and set-up (environment, threads, warm-up) over several campaigns
/// (newest first), as if they were one: the first campaign's, with the cells of all. Their blocks have nothing in
/// common with those of any other campaign.
CampaignSnapshot load_pool(store::Store& store, const std::vector<store::CampaignRow>& campaigns, const Filter& filter,
                           int64_t limit, double level = 0.95);

}  // namespace lockstep::snapshot
