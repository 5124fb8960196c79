#include "gui/core/pages/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "gui/core/campaign.h"
#include "gui/core/looks.h"
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

std::vector<std::string> missing_of(const WorkloadGroup& group, const store::CampaignRow& campaign, bool reading) {
  std::vector<std::string> out;
  const bool finished = some(group, [](const CellSnapshot& cell) { return !cell.launches.empty(); });
  if (!finished) return {"No launch has finished: the table says why."};
  const bool parallel = some(group, [](const CellSnapshot& cell) { return cell.cell.ranks > 1; });
  if (!parallel) out.emplace_back("One rank only, so no efficiency: add strategies, for example -s serial -s dp2");
  if (parallel && !some(group, [](const CellSnapshot& cell) { return cell.is_copies; })) {
    out.push_back(
        "No copies on fabric null, so efficiency cannot be told apart from cores that share hardware: -f null");
  }
  if (reading) {
    out.emplace_back("Where a step's time goes is being read from the recorded launches.");
  } else if (!some(group, [](const CellSnapshot& cell) { return !cell.breakdown.ranks.empty(); })) {
    std::string again = campaign.command_line.empty() ? "lockstep run SUITE" : campaign.command_line;
    const std::string without = " --no-profile";
    if (const size_t at = again.find(without); at != std::string::npos) again.erase(at, without.size());
    out.push_back("No recorded launch, so nobody knows where a step's time goes: " + again + " --profile");
  }
  if (!some(group, [](const CellSnapshot& cell) { return !cell.loss_curve.points.empty(); })) {
    out.emplace_back("No launch kept its losses.");
  }
  return out;
}

bool draws_something(const Chart& chart) {
  return std::any_of(chart.series.begin(), chart.series.end(),
                     [](const ChartSeries& series) { return !series.neutral && !series.points.empty(); });
}

// Why its first missing value is missing.
std::string why_empty(const report::Table& table) {
  for (const report::Row& row : table.rows) {
    for (const report::Value& value : row.values) {
      if (!value.missing.empty()) return value.missing;
    }
  }
  return "no value yet";
}

void look_alike(Chart& chart, const Looks& looks) {
  for (ChartSeries& series : chart.series) {
    if (!series.neutral) series.look = looks.of(series.key);
  }
}

// Sets what is known of the group's recorded launches; the others are yet to be read.
std::vector<store::LaunchRow> add_known(WorkloadGroup& group, const std::map<std::string, store::LaunchRow>& recorded,
                                        const Breakdowns& known) {
  std::vector<store::LaunchRow> unread;
  for (CellSnapshot& cell : group.cells) {
    const auto launch = recorded.find(cell.cell.text);
    if (launch == recorded.end()) continue;
    const auto found = known.find(launch->second.id);
    if (found == known.end()) {
      unread.push_back(launch->second);
    } else {
      cell.breakdown = found->second;
    }
  }
  return unread;
}

Overview::Workload workload_of(const WorkloadGroup& group, const store::CampaignRow& campaign, const Looks& looks,
                               bool reading) {
  Overview::Workload out;
  out.name = group.workload;
  out.title = report::title_of(group);
  for (const auto& figure :
       {report::throughput_figure(group), report::efficiency_figure(group), report::loss_figure(group, campaign.number),
        report::breakdown_figure(group, campaign.number)}) {
    if (!figure) continue;
    out.charts.push_back(chart_of(*figure));
    if (!draws_something(out.charts.back())) {
      out.missing.push_back(figure->title + ": " + why_empty(figure->table));
      out.charts.pop_back();
      continue;
    }
    if (figure->mark != report::Mark::bars) look_alike(out.charts.back(), looks);
  }
  for (std::string& missing : missing_of(group, campaign, reading)) out.missing.push_back(std::move(missing));
  out.table = report::results_table(group, campaign.number);
  return out;
}

// "@1/workload:gpt-austen:tiny,system:reference,strategy:dp2,fabric:threads"
std::string side_text(int64_t campaign, const std::string& workload, const store::CellRow& cell) {
  snapshot::Selector out;
  out.campaign = {snapshot::CampaignSelector::Kind::number, campaign, ""};
  if (!workload.empty()) out.filter.terms.push_back({"workload", workload});
  out.filter.terms.push_back({"system", cell.system});
  out.filter.terms.push_back({"strategy", cell.strategy});
  if (!cell.fabric.empty()) out.filter.terms.push_back({"fabric", cell.fabric});
  return snapshot::to_text(out);
}

bool same_how(const store::CellRow& a, const store::CellRow& b) {
  return a.system == b.system && a.strategy == b.strategy && a.fabric == b.fabric;
}

// The label, where its comparisons have two sides; else what was found of each. One link a comparison is enough.
std::vector<Said> with_links(const report::Sentence& sentence, const std::vector<snapshot::Comparison>& comparisons,
                             int64_t campaign) {
  std::vector<Said> out;
  bool linked = false;
  for (size_t i = 0; i < sentence.size(); ++i) {
    const auto [a, b] =
        linked ? std::pair<std::string, std::string>() : compared_sides(comparisons, sentence[i].about, campaign);
    out.push_back({sentence[i].text, a, b});
    linked = linked || (i == 0 && !a.empty());
  }
  return out;
}

}  // namespace

std::pair<std::string, std::string> compared_sides(const std::vector<snapshot::Comparison>& comparisons,
                                                   const std::vector<size_t>& about, int64_t campaign) {
  if (about.empty()) return {};
  const snapshot::Comparison& first = comparisons[about.front()];
  bool one_workload = true;
  for (const size_t i : about) {
    if (!same_how(comparisons[i].a, first.a) || !same_how(comparisons[i].b, first.b)) return {};
    one_workload = one_workload && comparisons[i].workload == first.workload;
  }
  const std::string workload = one_workload ? first.workload : "";
  return {side_text(campaign, workload, first.a), side_text(campaign, workload, first.b)};
}

Overview load_overview(store::Store& store, const ViewState& view, const Breakdowns& known) {
  Overview out;
  const std::optional<snapshot::CampaignSnapshot> snapshot = snapshot_of(store, view);
  if (!snapshot) return out;
  const std::vector<snapshot::Comparison> comparisons = snapshot::comparisons(*snapshot);
  out.title = report::title_of(*snapshot);
  out.counts = utf8(time_text(snapshot->campaign.started_utc_ns)) + "  " + report::counts_line(*snapshot);
  out.never_started = report::never_started_line(*snapshot);
  out.setup = report::setup_of(*snapshot, report::environments_of(store, *snapshot));
  for (const report::Sentence& sentence : report::sentences_of(*snapshot, comparisons)) {
    out.findings.push_back(with_links(sentence, comparisons, snapshot->campaign.number));
  }
  if (!comparisons.empty()) out.comparisons = report::comparisons_table(comparisons);
  const std::map<std::string, store::LaunchRow> recorded = report::recorded_launches(store, *snapshot);
  const Looks looks(store);
  std::vector<WorkloadGroup> groups = filtered(snapshot->groups, parse_row_filter(view.filter));
  for (WorkloadGroup& group : groups) {
    const std::vector<store::LaunchRow> unread = add_known(group, recorded, known);
    out.workloads.push_back(workload_of(group, snapshot->campaign, looks, !unread.empty()));
    out.unread.insert(out.unread.end(), unread.begin(), unread.end());
  }
  return out;
}

Breakdowns read_breakdowns(store::Store& store, const std::vector<store::LaunchRow>& launches, const Job& job) {
  Breakdowns out;
  for (const store::LaunchRow& launch : launches) {
    job.at(static_cast<double>(out.size()) / static_cast<double>(launches.size()));
    out[launch.id] = report::breakdown_of(store, store.path(), launch);
  }
  return out;
}

}  // namespace lockstep::gui
