#pragma once

#include <string>
#include <vector>

#include "results/report/model.h"
#include "results/snapshot/compare.h"

namespace lockstep::report {

/// The comparison for a terminal, at most 100 columns: the sides and how their environments differ, a row a cell,
/// memory and loss in a line each, notes, and the count of words.
std::string compare_text(const snapshot::CampaignComparison& comparison);

/// What stands above the ratios, a sentence each: the sides, how their environments differ, equal work, caution where
/// the sides did not take turns, the metric with its margin.
std::vector<std::string> comparison_head(const snapshot::CampaignComparison& comparison);
/// What stands below them: geometric mean, memory, what was left out, losses, how it was decided.
std::vector<std::string> comparison_foot(const snapshot::CampaignComparison& comparison);
/// Why a ratio of one launch a side stands alone: "one pair, no interval".
const char* no_interval(bool paired);
/// The word of a verdict with the side that it is about: "A faster", "B faster" between systems; of builds, whose words
/// are all of B, the word alone.
std::string verdict_words(const snapshot::Verdict& verdict, snapshot::Relation relation);
/// "1 regressed, 3 equivalent"; between systems "A (reference) faster in 3 of 4, equal in 1 of 4"; empty where the
/// metric has no verdict.
std::string verdict_counts(const snapshot::CampaignComparison& comparison, const std::string& metric);
/// Why there is no verdict, or what would decide; empty where it is decided.
std::string verdict_note(const snapshot::Verdict& verdict);
/// A row a verdict, its key: `verdict_key`.
Table verdicts_table(const snapshot::CampaignComparison& comparison);
/// Tells one verdict of a comparison from the others: "time: gpt-austen:tiny reference dp2 on threads",
/// where the sides have other cells "... / CELL OF B".
std::string verdict_key(const snapshot::Verdict& verdict);

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
