#include "gui/core/pages/strategies.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adapters/contract/failure.h"
#include "gui/core/campaign.h"
#include "gui/core/pages/terms_table.h"
#include "reference_trainer/plan/pipeline.h"
#include "reference_trainer/plan/terms/check.h"
#include "reference_trainer/plan/terms/terms_of.h"
#include "results/snapshot/efficiency.h"
#include "workloads/plan/plan_of.h"

namespace lockstep::gui {
namespace {

constexpr const char* kExampleStrategy = "pp4/1f1b:m=8";
constexpr double kMostSimulated = 5e7;  // about a second
constexpr const char* kTermOption = "strategies.term";
constexpr const char* kStrategyOption = "strategies.strategy";
constexpr const char* kWorkloadOption = "strategies.workload";
constexpr const char* kBesideOption = "strategies.beside";

/// The cells that have a plan: not those of `lockstep exec`.
std::vector<store::CellRow> planned_cells(store::Store& store, const ViewState& view) {
  const std::optional<store::CampaignRow> campaign = campaign_of(store, view);
  if (!campaign) return {};
  std::vector<store::CellRow> out = store.cells(campaign->id);
  std::erase_if(out, [](const store::CellRow& cell) { return snapshot::is_command(cell); });
  return out;
}

std::optional<store::CellRow> chosen_cell(store::Store& store, const ViewState& view) {
  if (view.cell.empty()) return std::nullopt;
  std::optional<store::CellRow> out = store.cell(view.cell);
  if (out && snapshot::is_command(*out)) return std::nullopt;
  return out;
}

const store::CellRow* first_pipeline(const std::vector<store::CellRow>& cells) {
  const auto pipeline = [](const store::CellRow& cell) { return cell.strategy.find("pp") != std::string::npos; };
  const auto parallel = [](const store::CellRow& cell) { return cell.ranks > 1; };
  auto found = std::find_if(cells.begin(), cells.end(), pipeline);
  if (found == cells.end()) found = std::find_if(cells.begin(), cells.end(), parallel);
  return found == cells.end() ? nullptr : &*found;
}

std::optional<store::CellRow> cell_of_workload(const std::vector<store::CellRow>& cells, const std::string& workload) {
  for (const store::CellRow& cell : cells) {
    if (cell.workload == workload) return cell;
  }
  return std::nullopt;
}

/// The strategy and a cell that holds its workload.
struct Wanted {
  std::string strategy, origin;
  std::optional<store::CellRow> cell;
};

Wanted wanted(store::Store& store, const ViewState& view) {
  const std::vector<store::CellRow> cells = planned_cells(store, view);
  const std::optional<store::CellRow> chosen = chosen_cell(store, view);
  const std::string typed = view.option(kStrategyOption, ""), workload = view.option(kWorkloadOption, "");
  Wanted out;
  const store::CellRow* first = first_pipeline(cells);
  if (!typed.empty() && (!chosen || view.option(kBesideOption, "") == view.cell)) {
    out.strategy = typed, out.origin = "as typed or chosen here";
  } else if (chosen) {
    out.strategy = chosen->strategy, out.origin = "of the chosen cell, " + chosen->text;
  } else if (first != nullptr) {
    out.strategy = first->strategy, out.origin = "of the campaign's cell " + first->text;
  } else {
    out.strategy = kExampleStrategy, out.origin = "an example";
  }
  out.cell = cell_of_workload(cells, workload);
  if (!out.cell) out.cell = chosen;
  if (!out.cell && first != nullptr) out.cell = *first;
  if (!out.cell && !cells.empty()) out.cell = cells.front();
  return out;
}

/// Why so many actions are not simulated while somebody waits; empty: they are few enough. Simulation takes actions x
/// ranks.
std::string too_many_actions(const text::Strategy& strategy) {
  double actions = 2.0 * strategy.size(text::Axis::pp);
  for (const text::Term& pass : strategy.passes) actions *= pass.whole("m", 1) * pass.whole("v", 1);
  if (strategy.find_pass("pipedream") != nullptr) actions *= strategy.size(text::Axis::pp) + 2;  // see schedule_of
  if (strategy.size(text::Axis::pp) == 1 || actions * strategy.size(text::Axis::pp) <= kMostSimulated) return "";
  return fmt::format(
      "{} has {:.0f} forward and backward passes on its pipeline, too many to be simulated while you wait.",
      text::print(strategy), actions);
}

void add_schedule(ShownStrategy& out, const text::Strategy& strategy) {
  try {
    const std::optional<schedule::Schedule> schedule = plan::schedule_of(strategy);
    if (schedule) {
      out.schedule = picture_of(*schedule);
    } else {
      out.no_schedule =
          fmt::format("{} has no pipeline axis, so each rank runs the whole model, forward then backward. With one: {}",
                      out.strategy, kExampleStrategy);
    }
  } catch (const Failure& failure) {
    out.no_schedule = failure.what();
  }
}

void add_plan(ShownStrategy& out, const std::optional<store::CellRow>& cell) {
  if (!cell) {
    out.no_plan = "This store has no workload yet, so there is no step plan. In a terminal: lockstep plan gpt-austen " +
                  out.strategy;
    return;
  }
  try {
    const workloads::Workload workload = workloads::workload_from_json(cell->workload_json, cell->workload);
    const plan::Description description = workloads::describe(workloads::plan_input(workload), out.strategy);
    out.plan = step_plan(description, workloads::heading_lines(workload, description));
  } catch (const Failure& failure) {
    out.no_plan = failure.what();
  }
}

}  // namespace

const Strategies::Workload* Strategies::find(const std::string& workload) const {
  for (const Workload& one : workloads) {
    if (one.group.workload == workload) return &one;
  }
  return nullptr;
}

Strategies load_strategies(store::Store& store, const ViewState& view) {
  Strategies out;
  out.filter = parse_row_filter(view.filter);
  out.systems = system_answers(store);
  out.terms = terms_table(out.systems, nullptr);
  std::optional<snapshot::CampaignSnapshot> snapshot = snapshot_of(store, view);
  if (!snapshot) return out;
  out.number = snapshot->campaign.number;
  out.campaign = fmt::format("@{} {}", out.number, snapshot->campaign.suite);
  for (snapshot::WorkloadGroup& group : snapshot->groups) {
    report::Table terms = terms_table(out.systems, &group);
    out.workloads.push_back({std::move(group), std::move(terms)});
  }
  return out;
}

ShownStrategy load_shown_strategy(store::Store& store, const ViewState& view) {
  parse_row_filter(view.filter);  // a view that cannot be shown is refused by both questions of the page
  const Wanted asked = wanted(store, view);
  ShownStrategy out;
  out.strategy = asked.strategy, out.origin = asked.origin;
  if (asked.cell) out.workload = asked.cell->workload;
  text::Strategy strategy;
  try {
    strategy = text::parse_strategy(asked.strategy);
  } catch (const Failure& failure) {
    out.refused = failure.what();
    return out;
  }
  out.strategy = text::print(strategy);
  for (const terms::Refusal& refusal : terms::check(strategy)) {
    std::string words =
        fmt::format("{}: {}{}; nearest that runs: {}", refusal.term,
                    refusal.kind == "unsupported" ? "unsupported, because " : "", refusal.reason, refusal.nearest);
    if (refusal.kind == "usage") {
      out.refused = std::move(words);
      return out;
    }
    if (out.warning.empty()) out.warning = std::move(words);
  }
  if (out.no_schedule = too_many_actions(strategy); !out.no_schedule.empty()) {
    out.no_plan = "No step plan, for the same reason. In a terminal: lockstep plan WORKLOAD " + out.strategy;
    return out;
  }
  add_schedule(out, strategy);
  if (out.warning.empty()) {
    add_plan(out, asked.cell);
  } else {
    out.no_plan = "No step plan: this version does not run the strategy.";
  }
  return out;
}

void choose_term(ViewState& view, const Strategies& strategies, const std::string& workload, const std::string& term) {
  const terms::Row* row = terms::row_written(term);
  if (row == nullptr) return;
  std::string strategy = text::print(terms::example(*row));
  if (const Strategies::Workload* shown = strategies.find(workload)) {
    const CellsOfTerms cells = cells_of_terms(shown->group);
    const auto with_term = cells.find(term);
    if (with_term != cells.end()) strategy = shown->group.cells[with_term->second.front()].cell.strategy;
  }
  view.options[kTermOption] = term;
  choose_strategy(view, strategy);
}

void choose_strategy(ViewState& view, const std::string& strategy) {
  if (strategy.empty()) {
    view.options.erase(kStrategyOption), view.options.erase(kBesideOption);
    return;
  }
  view.options[kStrategyOption] = strategy;
  view.options[kBesideOption] = view.cell;
}

void choose_cell(ViewState& view, const std::string& cell) {
  choose_strategy(view, "");
  view.options.erase(kWorkloadOption);
  view.cell = cell;
}

void open_launches(ViewState& view, const Strategies& strategies, const std::string& term) {
  std::set<std::string> written;
  for (const Strategies::Workload& one : strategies.workloads) {
    CellsOfTerms cells = cells_of_terms(one.group);
    for (const size_t i : cells[term]) {
      const std::string& strategy = one.group.cells[i].cell.strategy;
      for (const std::string& printed : terms::printed(text::parse_strategy(strategy))) {
        const terms::Row* row = terms::row_written(term);
        if (row != nullptr && row->kind == terms::Kind::axis && terms::is_claimed(*row, printed))
          written.insert(printed);
      }
    }
  }
  view.page = "launches";
  view.filter = "strategy:" + (written.size() == 1 ? *written.begin() : term);
}

}  // namespace lockstep::gui
