#pragma once

#include <optional>

#include "results/report/cell_words.h"
#include "results/report/model.h"
#include "results/snapshot/comparisons.h"
#include "results/snapshot/snapshot.h"

/// The tables of a report. Keys of columns are the members of `report --json`.
namespace lockstep::report {

/// Every figure of every cell, a row a cell, in base units: what CSV is.
Table cells_table(const snapshot::CampaignSnapshot& snapshot);

/// What a person reads of a workload: throughput, efficiencies, memory, bytes, equal work, remarks. A cell without a
/// finished launch is a row with its reason.
Table results_table(const snapshot::WorkloadGroup& group, int64_t campaign);

/// How far training came and what the quality target cost, a row a cell. None where no launch trained to the end.
std::optional<Table> quality_table(const snapshot::WorkloadGroup& group);

/// Each comparison with its ratio, p, q and word.
Table comparisons_table(const std::vector<snapshot::Comparison>& comparisons);

/// Columns that several tables have.
Column name_column(std::string key, std::string title);
Column count_column(std::string key, std::string title);
/// Throughput in units of `unit`.
Column throughput_column(Counted what, const std::string& unit);
Column serial_efficiency_column();
Column copies_efficiency_column();
/// "median over launches"
const char* centre_words(Centre centre);
/// Fills in what the intervals of the columns are, from the values that are there.
void name_intervals(Table& table);

Value throughput_value(const snapshot::CellSnapshot& cell, Counted what, double scale = 1);
Value efficiency_value(const snapshot::Efficiency& efficiency);

}  // namespace lockstep::report
