#include "gui/core/pages/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "gui/core/campaign.h"
#include "gui/core/text.h"
#include "results/report/breakdowns.h"
#include "results/report/cell_words.h"
#include "results/report/header.h"
#include "results/report/methods.h"
#include "results/report/plots.h"
#include "results/report/sentences.h"
#include "results/report/tables.h"

namespace lockstep::gui {
namespace {

using snapshot::CellSnapshot;
using snapshot::WorkloadGroup;

template <class Is>
bool some(const WorkloadGroup& group, Is is) {
  return std::any_of(group.cells.begin(), group.cells.end(), is);
}

std::vector<std::string> missing_of(const WorkloadGroup& group, const store::CampaignRow& campaign) {
  std::vector<std::string> out;
  const bool finished = some(group, [](const CellSnapshot& cell) { return !cell.launches.empty(); });
  if (!finished) return {"No launch has finished: the table says why."};
  const bool parallel = some(group, [](const CellSnapshot& cell) { return cell.cell.ranks > 1; });
  if (!parallel) out.emplace_back("One rank only, so no efficiency: add strategies, for example -s serial -s dp2");
  if (parallel && !some(group, [](const CellSnapshot& cell) { return cell.is_copies; })) {
    out.push_back(
        "No copies on fabric null, so efficiency cannot be told apart from cores that share hardware: -f null");
  }
  if (!some(group, [](const CellSnapshot& cell) { return !cell.breakdown.ranks.empty(); })) {
    const std::string again = campaign.command_line.empty() ? "lockstep run SUITE" : campaign.command_line;
    out.push_back("No recorded launch, so nobody knows where a step's time goes: " + again + " --profile");
  }
  if (!some(group, [](const CellSnapshot& cell) { return !cell.loss_curve.points.empty(); })) {
    out.emplace_back("No launch kept its losses.");
  }
  return out;
}

// The curve of a cell has the cell's look in every view, whatever the filter hides.
void look_alike(Chart& chart, const snapshot::CampaignSnapshot& whole) {
  for (ChartSeries& series : chart.series) series.look = look_of(whole.groups, series.key);
}

Overview::Workload workload_of(const WorkloadGroup& group, const snapshot::CampaignSnapshot& whole) {
  const store::CampaignRow& campaign = whole.campaign;
  Overview::Workload out;
  out.name = group.workload;
  out.title = report::title_of(group);
  for (const auto& figure :
       {report::throughput_figure(group), report::efficiency_figure(group), report::loss_figure(group, campaign.number),
        report::breakdown_figure(group, campaign.number)}) {
    if (!figure) continue;
    out.charts.push_back(chart_of(*figure));
    if (figure->mark == report::Mark::line) look_alike(out.charts.back(), whole);
  }
  out.missing = missing_of(group, campaign);
  out.table = report::results_table(group, campaign.number);
  return out;
}

}  // namespace

Overview load_overview(store::Store& store, const ViewState& view) {
  Overview out;
  std::optional<snapshot::CampaignSnapshot> snapshot = snapshot_of(store, view);
  if (!snapshot) return out;
  report::add_breakdowns(store, store.path(), *snapshot);
  const std::vector<snapshot::Comparison> comparisons = snapshot::comparisons(*snapshot);
  out.title = report::title_of(*snapshot);
  out.counts = utf8(time_text(snapshot->campaign.started_utc_ns)) + "  " + report::counts_line(*snapshot);
  out.setup = report::setup_of(*snapshot, report::environments_of(store, *snapshot));
  out.findings = report::sentences(*snapshot, comparisons);
  if (!comparisons.empty()) out.comparisons = report::comparisons_table(comparisons);
  for (const WorkloadGroup& group : filtered(snapshot->groups, parse_row_filter(view.filter))) {
    out.workloads.push_back(workload_of(group, *snapshot));
  }
  return out;
}

}  // namespace lockstep::gui
