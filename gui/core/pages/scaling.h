#pragma once

#include <string>
#include <vector>

#include "gui/core/chart.h"
#include "gui/core/view_state.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::gui {

/// How one workload scales with ranks, by each system's own serial cell, or by the base that is pinned. In the view:
/// base; options scaling.workload, scaling.metric, scaling.model ("amdahl":
/// a line of Amdahl's law through each family, on to twice the most ranks that were measured).
struct Scaling {
  std::vector<std::string> workloads;  ///< those that have several rank counts first
  std::string workload;                ///< the one that is shown
  std::string words;                   ///< what is missing
  std::string scaling;                 ///< "strong: the batch is global, and ranks share it"
  bool weak = false;
  Chart speed;       ///< throughput or time against ranks, log-log, with the ideal line through each base
  Chart efficiency;  ///< against own serial, or the pinned base; and against copies
  report::Table table;
};

Scaling load_scaling(store::Store& store, const ViewState& view);

/// Cells that differ only in how many ranks an axis has are one line: "dp/zero1 on mpi" of "dp4/zero1 on mpi".
std::string scaling_family(const store::CellRow& cell);

/// Serial fraction of Karp and Flatt (1990) from the speed-up at `ranks` > 1: (1/S - 1/p) / (1 - 1/p).
double karp_flatt(double speedup, int64_t ranks);

}  // namespace lockstep::gui
