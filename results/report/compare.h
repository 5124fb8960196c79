#pragma once

#include <string>
#include <vector>

#include "results/snapshot/compare.h"

namespace lockstep::report {

/// The comparison for a terminal, at most 100 columns: the sides and how their environments differ, a row a cell,
/// memory and loss in a line each, notes, and the count of words.
std::string compare_text(const snapshot::CampaignComparison& comparison);

/// Format lockstep.compare.
std::string compare_json(const snapshot::CampaignComparison& comparison);

/// "reference dp4 on threads"; with the system where `with_system`.
std::string how_label(const store::CellRow& cell, bool with_system);

/// What has no verdict and why, and which launches took no part, a sentence each.
std::vector<std::string> omissions(const snapshot::CampaignComparison& comparison);
/// The same for a terminal.
std::string omissions_text(const snapshot::CampaignComparison& comparison);

/// "1.148 [1.121, 1.173]"; "-" where there is no ratio.
std::string verdict_ratio(const snapshot::Verdict& verdict);

/// "about 12 pairs", "about 41 v 41 launches", "more than 1000 pairs".
std::string launches_text(int64_t needed, bool paired);

/// "gpt-austen:tiny dp4 on threads"; with the system where `with_system`.
std::string cell_label(const store::CellRow& cell, bool with_system);

}  // namespace lockstep::report
