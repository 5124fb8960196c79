#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gui/core/filter.h"
#include "gui/core/pages/step_plan.h"
#include "gui/core/pages/system_answers.h"
#include "gui/core/schedule_picture.h"
#include "gui/core/view_state.h"
#include "results/report/model.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::gui {

/// Terms x systems: what is known of every term of the table, with the numbers of the shown campaign.
struct Strategies {
  struct Workload {
    snapshot::WorkloadGroup group;
    report::Table terms;  ///< with the numbers of this workload
  };
  std::string campaign;  ///< "@1 quickstart"; empty: the store has none
  int64_t number = 0;    ///< of the campaign
  RowFilter filter;      ///< of the view: hides cells, changes no number
  std::vector<SystemAnswers> systems;
  report::Table terms;              ///< without numbers
  std::vector<Workload> workloads;  ///< of the campaign

  /// The workload of that name, or null.
  const Workload* find(const std::string& workload) const;
};

Strategies load_strategies(store::Store& store, const ViewState& view);

/// One strategy on one workload: its schedule as a picture, and what it does in a step. In the view: options
/// strategies.strategy (as typed; it stands until another cell is chosen: strategies.beside is the one that was),
/// strategies.workload and strategies.term. Where they say nothing, those of the chosen cell; else of the campaign's
/// first pipeline; else an example.
struct ShownStrategy {
  std::string strategy;  ///< canonical, or as typed where it cannot be read
  std::string workload;  ///< empty: the store has none
  std::string origin;    ///< where the strategy comes from, in words
  std::string refused;   ///< why it is no strategy; then there is nothing else
  std::string warning;   ///< why this version cannot run it
  std::optional<SchedulePicture> schedule;
  std::string no_schedule;  ///< why there is none
  std::optional<StepPlan> plan;
  std::string no_plan;  ///< why there is none
};

ShownStrategy load_shown_strategy(store::Store& store, const ViewState& view);

/// Edits of the view. A term: its best cell's strategy on the workload, else an example.
void choose_term(ViewState& view, const Strategies& strategies, const std::string& workload, const std::string& term);
void choose_strategy(ViewState& view, const std::string& strategy);
void choose_cell(ViewState& view, const std::string& cell);
/// The launches page, filtered by the term: an axis by its only size in the campaign, where it has one, as "h" is in
/// many words.
void open_launches(ViewState& view, const Strategies& strategies, const std::string& term);

}  // namespace lockstep::gui
