#pragma once

#include <string>

#include "results/report/model.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::report {

/// The table of a campaign for a terminal, at most 100 columns: header lines, then for each workload a row a cell;
/// failed and skipped cells are rows with their reason and the command that shows the log.
std::string table(store::Store& store, const snapshot::CampaignSnapshot& snapshot);

/// The same as one document, format lockstep.report.
std::string to_json(const snapshot::CampaignSnapshot& snapshot);

/// Tables as one document, format lockstep.pivot or lockstep.tables.
std::string to_json(const std::vector<Table>& tables, const std::string& format = "lockstep.pivot");

}  // namespace lockstep::report
