#pragma once

#include <string>
#include <vector>

#include "gui/core/chart.h"
#include "gui/core/view_state.h"
#include "results/store/store.h"

namespace lockstep::gui {

/// Loss or a metric against what it cost. In the view: options convergence.workload, .metric, .against, .smooth,
/// .scale.
struct Convergence {
  std::vector<std::string> workloads, metrics;  ///< "loss", then what was evaluated
  std::string workload, metric;                 ///< those that are shown
  std::string words;                            ///< what is missing
  std::string target;                           ///< "bits_per_byte at most 2.05"; empty: the workload has none
  Chart chart;          ///< a line a cell: the mean over seeds, with a band from least to greatest
  report::Table times;  ///< a row a launch: when it reached the target
};

Convergence load_convergence(store::Store& store, const ViewState& view);

/// Centred moving mean over `window` points (an odd number), shorter at the ends.
std::vector<double> smoothed(const std::vector<double>& values, size_t window);

}  // namespace lockstep::gui
