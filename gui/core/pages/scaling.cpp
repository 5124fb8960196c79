#include "gui/core/pages/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "gui/core/campaign.h"
#include "gui/core/pages/scaling_charts.h"
#include "results/report/cell_words.h"
#include "results/report/figures.h"
#include "results/report/tables.h"
#include "results/report/values.h"
#include "results/snapshot/efficiency.h"

namespace lockstep::gui {
namespace {

using snapshot::CellSnapshot;
using snapshot::WorkloadGroup;

// Both fall as the other rises: the interval turns round.
stats::Estimate serial_fraction(const stats::Estimate& efficiency, int64_t ranks) {
  stats::Estimate out = efficiency;
  const auto p = static_cast<double>(ranks);
  out.value = karp_flatt(efficiency.value * p, ranks);
  out.low = karp_flatt(efficiency.high * p, ranks), out.high = karp_flatt(efficiency.low * p, ranks);
  return out;
}

report::Value fraction_value(const CellSnapshot& cell) {
  if (cell.cell.ranks == 1) return report::missing_value("one rank");
  if (cell.against_serial.base.empty()) return report::missing_value(cell.against_serial.why_not);
  if (!cell.against_serial.estimate.ok()) return report::efficiency_value(cell.against_serial);
  return report::estimate_value(serial_fraction(cell.against_serial.estimate, cell.cell.ranks));
}

report::Column base_efficiency_column(const PinnedBase& base) {
  report::Column out{"efficiency_base",
                     "efficiency against the pinned base",
                     "",
                     report::Quantity::ratio,
                     report::Centre::hodges_lehmann,
                     false,
                     true};
  out.base = base.cell()->cell.text;
  return out;
}

report::Value base_efficiency_value(const CellSnapshot& cell, const PinnedBase& base) {
  if (&cell == base.cell()) return report::missing_value("it is the base");
  if (cell.launches.empty()) return report::missing_value("no finished launch");
  return report::estimate_value(base.efficiency(cell));
}

report::Table table_of(const WorkloadGroup& group, const RowFilter& filter, const PinnedBase& base) {
  report::Table out;
  out.title = "Scaling of " + group.workload;
  const report::Unit unit = report::unit_of(group);
  const report::Counted what = report::counted(group);
  report::Column step{"step_s", "time a step", "ms", report::Quantity::cost, report::Centre::median, false, true};
  report::Column fraction{
      "karp_flatt", "serial fraction (Karp-Flatt)", "", report::Quantity::ratio, report::Centre::hodges_lehmann, false,
      true};
  fraction.base = "the serial cell of the same system on the same workload";
  out.columns = {report::name_column("cell", "cell"),
                 report::count_column("ranks", "ranks"),
                 report::throughput_column(what, unit.name),
                 step,
                 report::serial_efficiency_column(),
                 report::copies_efficiency_column(),
                 fraction};
  if (base.cell() != nullptr) out.columns.push_back(base_efficiency_column(base));
  for (const CellSnapshot& cell : group.cells) {
    if (cell.is_copies || !matches(filter, cell.cell)) continue;
    const report::Value time =
        cell.launches.empty() ? report::missing_value("no finished launch") : report::estimate_value(cell.step_s, 1e-3);
    out.rows.push_back(
        {cell.cell.text,
         {report::text_value(report::name_of(cell)), report::count_value(cell.cell.ranks),
          report::throughput_value(cell, what, unit.size), time, report::efficiency_value(cell.against_serial),
          report::efficiency_value(cell.against_copies), fraction_value(cell)}});
    if (base.cell() != nullptr) out.rows.back().values.push_back(base_efficiency_value(cell, base));
  }
  report::name_intervals(out);
  return out;
}

const WorkloadGroup& chosen_group(const snapshot::CampaignSnapshot& snapshot, const Scaling& scaling,
                                  const std::string& wanted) {
  const bool known = std::find(scaling.workloads.begin(), scaling.workloads.end(), wanted) != scaling.workloads.end();
  const std::string& name = known ? wanted : scaling.workloads.front();
  return *std::find_if(snapshot.groups.begin(), snapshot.groups.end(),
                       [&](const WorkloadGroup& group) { return group.workload == name; });
}

}  // namespace

std::string scaling_family(const store::CellRow& cell) {
  const size_t mesh = std::min(cell.strategy.find_first_of("/+@"), cell.strategy.size());
  std::string out;
  for (size_t i = 0; i < cell.strategy.size(); ++i) {
    const bool digit = cell.strategy[i] >= '0' && cell.strategy[i] <= '9';
    if (i >= mesh || !digit) out += cell.strategy[i];
  }
  return out + (cell.fabric.empty() ? "" : " on " + cell.fabric);
}

double karp_flatt(double speedup, int64_t ranks) {
  const auto p = static_cast<double>(ranks);
  return (1 / speedup - 1 / p) / (1 - 1 / p);
}

Scaling load_scaling(store::Store& store, const ViewState& view) {
  Scaling out;
  const std::optional<snapshot::CampaignSnapshot> snapshot = snapshot_of(store, view);
  const RowFilter filter = parse_row_filter(view.filter);
  const std::vector<WorkloadGroup> left = snapshot ? filtered(snapshot->groups, filter) : std::vector<WorkloadGroup>();
  if (left.empty()) {
    out.words = !snapshot             ? kNoCampaign
                : view.filter.empty() ? "This campaign has no launch yet."
                                      : "The filter leaves no cell: " + view.filter;
    return out;
  }
  std::vector<const WorkloadGroup*> groups;
  for (const WorkloadGroup& group : left) groups.push_back(&group);
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto* a, const auto* b) { return rank_counts(*a).size() > rank_counts(*b).size(); });
  for (const WorkloadGroup* group : groups) out.workloads.push_back(group->workload);
  const WorkloadGroup& group = chosen_group(*snapshot, out, view.option("scaling.workload", ""));
  out.workload = group.workload;
  out.weak = group.workload.find("scaling=weak") != std::string::npos;
  out.scaling = out.weak ? "Weak scaling: the batch grows with the ranks."
                         : "Strong scaling: the batch is global, and ranks share it.";
  const PinnedBase base(group, view.base);
  out.words = base.why_not();
  if (base.cell() != nullptr) out.scaling += " Base: " + report::name_of(*base.cell()) + " (pinned).";
  out.table = table_of(group, filter, base);
  const std::set<int64_t> counts = rank_counts(group);
  if (counts.size() < 2) {
    out.words = fmt::format(
        "{} rank count{} measured, so there is no scaling to show yet: lockstep run -w {} -s serial -s "
        "dp2 -s dp4 -n 6",
        counts.size(), counts.size() == 1 ? " was" : "s were", group.workload);
    return out;
  }
  const Looks looks(store);
  const std::vector<ScalingFamily> families = families_of(group, filter, looks);
  if (families.empty()) return out;
  const bool model = view.option("scaling.model", "none") == "amdahl";
  if (model && out.weak) out.words = "Amdahl's law is of a problem of fixed size: weak scaling has no such line.";
  const ScalingShown shown{group, families, looks, base, model && !out.weak};
  out.speed = speed_chart(shown, measure_of(group, view.option("scaling.metric", "throughput")));
  out.efficiency = efficiency_chart(shown);
  out.speed.table = out.efficiency.table = out.table;
  if (out.efficiency.series.empty()) {
    out.words = "No serial cell of the same system, so there is no efficiency: add -s serial.";
  }
  return out;
}

}  // namespace lockstep::gui
