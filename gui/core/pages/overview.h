#pragma once

#include <string>
#include <vector>

#include "gui/core/chart.h"
#include "gui/core/view_state.h"
#include "results/store/store.h"

namespace lockstep::gui {

/// The first view: one campaign, what it found in words, and for each workload four small pictures.
struct Overview {
  struct Workload {
    std::string name;
    std::string title;  ///< batch, steps, losses
    std::vector<Chart> charts;
    std::vector<std::string> missing;  ///< what was not measured, and the command that measures it
    report::Table table;
  };
  std::string title;                  ///< "quickstart: campaign @1"; empty: the store has no campaign
  std::string counts;                 ///< when, and how the launches ended
  std::vector<report::Fact> setup;    ///< machine, versions, ...
  std::vector<std::string> findings;  ///< a sentence each
  report::Table comparisons;          ///< the evidence of the findings
  std::vector<Workload> workloads;
};

Overview load_overview(store::Store& store, const ViewState& view);

}  // namespace lockstep::gui
