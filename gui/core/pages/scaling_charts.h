#pragma once

#include <set>
#include <string>
#include <vector>

#include "gui/core/chart.h"
#include "gui/core/filter.h"
#include "gui/core/looks.h"
#include "gui/core/pages/scaling_base.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::gui {

/// A line of the charts: cells that differ only in how many ranks an axis has, by ranks, the system's serial cell
/// first. The line has the look of its first parallel cell, each point that of its own cell.
struct ScalingFamily {
  std::string name;
  size_t look = 0;
  double place = 0;  ///< among the families of the workload
  std::vector<const snapshot::CellSnapshot*> cells;
};

/// Of a whole workload; what the filter leaves out is taken away afterwards, so that nothing else changes.
std::vector<ScalingFamily> families_of(const snapshot::WorkloadGroup& group, const RowFilter& filter,
                                       const Looks& looks);

/// Rank counts of cells with finished launches, but of copies.
std::set<int64_t> rank_counts(const snapshot::WorkloadGroup& group);

/// What is measured against ranks.
struct ScalingMeasure {
  std::string title, unit;
  double scale = 1;
  stats::Estimate snapshot::CellSnapshot::*estimate = nullptr;
  bool falls = false;  ///< ideal: halves as ranks double
};
/// "time", else throughput.
ScalingMeasure measure_of(const snapshot::WorkloadGroup& group, const std::string& metric);

/// What both charts are of.
struct ScalingShown {
  const snapshot::WorkloadGroup& group;
  const std::vector<ScalingFamily>& families;
  const Looks& looks;
  const PinnedBase& base;
  bool amdahl = false;  ///< with a line of Amdahl's law through each family, on to twice its most ranks
};

/// Log-log, with the ideal line through the pinned base, else through each family's first cell.
Chart speed_chart(const ScalingShown& shown, const ScalingMeasure& measure);
/// Against the pinned base, else against own serial; and against copies.
Chart efficiency_chart(const ScalingShown& shown);

}  // namespace lockstep::gui
