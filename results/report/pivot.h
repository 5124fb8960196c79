#pragma once

#include <string>
#include <vector>

#include "results/report/model.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::report {

/// What `--row`, `--col`, `--base` and `--metric` ask for.
struct PivotRequest {
  std::string row = "strategy", col = "ranks";
  std::string base;  ///< a value of the row's or column's key; empty: values as they are
  std::string metric = "time";
};

/// Keys: workload, preset, system, strategy, fabric, ranks. Metrics: time, throughput, efficiency, peak_memory,
/// bytes_sent. A table for each workload and system (those that are neither row nor column); cells that share a place
/// are told apart by their row's name, never averaged. With a base each entry is the ratio to the cell of that value
/// that agrees in everything else. Throws Failure("usage").
std::vector<Table> pivot(const snapshot::CampaignSnapshot& snapshot, const PivotRequest& request);

/// All rows of several tables under the columns of all, with the table's title first: for CSV.
Table joined(const std::vector<Table>& tables);

}  // namespace lockstep::report
