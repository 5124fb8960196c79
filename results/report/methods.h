#pragma once

#include "results/report/environments.h"
#include "results/report/model.h"
#include "results/snapshot/comparisons.h"

namespace lockstep::report {

/// What was kept the same and what was varied in a campaign.
std::vector<Fact> setup_of(const snapshot::CampaignSnapshot& snapshot, const Environments& environments);

/// How the time of a parallel launch is measured.
std::string parallel_time_of(const snapshot::CampaignSnapshot& snapshot);

/// The paragraph for a paper: machine, versions, launches, blocks, intervals, margin, corrections, equal work. Says
/// only what is true of this campaign, and what is not known.
std::string methods_of(const snapshot::CampaignSnapshot& snapshot, const Environments& environments,
                       const std::vector<snapshot::Comparison>& comparisons);

}  // namespace lockstep::report
