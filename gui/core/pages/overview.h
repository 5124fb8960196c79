#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/chart.h"
#include "gui/core/loader.h"
#include "gui/core/view_state.h"
#include "results/snapshot/breakdown.h"
#include "results/snapshot/comparisons.h"
#include "results/store/store.h"

namespace lockstep::gui {

/// A stretch of a sentence: words, or a link to Compare with these two sides.
struct Said {
  std::string text;
  std::string compare_a, compare_b;  ///< selectors; empty: no link
};

/// The first view: one campaign, what it found in words, and for each workload four small pictures.
struct Overview {
  struct Workload {
    std::string name;
    std::string title;  ///< batch, steps, losses
    std::vector<Chart> charts;
    std::vector<std::string> missing;  ///< what was not measured, and the command that measures it
    report::Table table;
  };
  std::string title;                        ///< "quickstart: campaign @1"; empty: the store has no campaign
  std::string counts;                       ///< when, and how the launches ended
  std::string never_started;                ///< of an interrupted campaign: how many launches; else empty
  std::vector<report::Fact> setup;          ///< machine, versions, ...
  std::vector<std::vector<Said>> findings;  ///< a sentence each
  report::Table comparisons;                ///< the evidence of the findings
  std::vector<Workload> workloads;
  std::vector<store::LaunchRow> unread;  ///< recorded launches whose traces take time to read: see read_breakdowns
};

/// Where the time of a step went, by the id of a recorded launch. A finished launch never changes.
using Breakdowns = std::map<std::string, snapshot::Breakdown>;

/// The sides of Compare that hold what these comparisons of a campaign are about: all have the same system, strategy
/// and fabric on one side, and on the other; empty where they have not.
std::pair<std::string, std::string> compared_sides(const std::vector<snapshot::Comparison>& comparisons,
                                                   const std::vector<size_t>& about, int64_t campaign);

/// Quick: reads no trace. Recorded launches that are not among `known` are told in `unread`.
Overview load_overview(store::Store& store, const ViewState& view, const Breakdowns& known = {});

/// Reads the traces of these launches; `job` hears how many are done.
Breakdowns read_breakdowns(store::Store& store, const std::vector<store::LaunchRow>& launches, const Job& job = {});

}  // namespace lockstep::gui
