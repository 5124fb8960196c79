#pragma once

#include "results/report/model.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::report {

/// Everything that a report of a campaign shows: an overview, a section a workload with its figures, the tables.
ReportModel build_report(store::Store& store, const snapshot::CampaignSnapshot& snapshot);

}  // namespace lockstep::report
