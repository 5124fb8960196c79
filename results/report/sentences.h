#pragma once

#include <string>
#include <vector>

#include "results/snapshot/comparisons.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::report {

/// What a campaign's table supports, in words, a paragraph each: system against system at one rank, several ranks
/// against one, fabric against fabric, variant against variant; then how it was decided. Empty where nothing can be
/// compared.
std::vector<std::string> sentences(const snapshot::CampaignSnapshot& snapshot,
                                   const std::vector<snapshot::Comparison>& comparisons);

}  // namespace lockstep::report
