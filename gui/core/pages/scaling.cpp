#include "gui/core/pages/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "gui/core/campaign.h"
#include "gui/core/pages/scaling_model.h"
#include "results/report/cell_words.h"
#include "results/report/figures.h"
#include "results/report/tables.h"
#include "results/report/values.h"
#include "results/snapshot/efficiency.h"

namespace lockstep::gui {
namespace {

using snapshot::CellSnapshot;
using snapshot::WorkloadGroup;

std::set<int64_t> rank_counts(const WorkloadGroup& group) {
  std::set<int64_t> out;
  for (const CellSnapshot& cell : group.cells) {
    if (!cell.launches.empty() && !cell.is_copies) out.insert(cell.cell.ranks);
  }
  return out;
}

/// A line of the charts: cells of one family by ranks, the system's serial cell first.
struct Family {
  std::string name;
  size_t look = 0;
  std::vector<const CellSnapshot*> cells;
};

// Looks are those of the whole workload; what the filter leaves out is taken away afterwards.
std::vector<Family> families_of(const WorkloadGroup& group, const RowFilter& filter) {
  std::vector<Family> out;
  for (const CellSnapshot& cell : group.cells) {
    if (cell.launches.empty() || cell.is_copies || snapshot::is_serial(cell.cell)) continue;
    const std::string name = cell.cell.system + " " + scaling_family(cell.cell);
    auto found = std::find_if(out.begin(), out.end(), [&](const Family& family) { return family.name == name; });
    if (found == out.end()) found = out.insert(out.end(), {name, out.size(), {}});
    found->cells.push_back(&cell);
  }
  for (Family& family : out) {
    const CellSnapshot* serial = snapshot::serial_of(group, family.cells.front()->cell);
    if (serial != nullptr && !serial->launches.empty()) family.cells.push_back(serial);
    std::stable_sort(family.cells.begin(), family.cells.end(),
                     [](const auto* a, const auto* b) { return a->cell.ranks < b->cell.ranks; });
    std::erase_if(family.cells, [&](const CellSnapshot* cell) { return !matches(filter, cell->cell); });
  }
  std::erase_if(out, [](const Family& family) { return family.cells.empty(); });
  return out;
}

ChartAxis ranks_axis() {
  ChartAxis out;
  out.title = "ranks", out.logarithmic = true, out.base = 2;
  return out;
}

// Intervals at the same number of ranks would hide each other: each line stands a little beside it.
constexpr double kBeside = 0.012;

ChartPoint point_of(const CellSnapshot& cell, size_t look, const stats::Estimate& estimate, double scale,
                    const std::string& unit) {
  const bool interval = estimate.level > 0;
  ChartPoint out;
  out.x = static_cast<double>(cell.cell.ranks) * (1 + kBeside * static_cast<double>(look)),
  out.y = estimate.value / scale;
  out.low = interval ? estimate.low / scale : kNone, out.high = interval ? estimate.high / scale : kNone;
  out.tip = fmt::format("{}\n{} {}", report::name_of(cell), report::estimate_value(estimate, scale).text, unit);
  return out;
}

/// What the upper chart shows.
struct Measure {
  std::string title, unit;
  double scale = 1;
  stats::Estimate CellSnapshot::*estimate = nullptr;
  bool falls = false;  ///< ideal: halves as ranks double
};

Measure measure_of(const WorkloadGroup& group, const std::string& metric) {
  if (metric == "time") return {"time a step", "ms", 1e-3, &CellSnapshot::step_s, true};
  const report::Unit unit = report::unit_of(group);
  return {"throughput", unit.name, unit.size, &CellSnapshot::throughput, false};
}

// The line that a perfect system would follow from the family's first cell, up to the most ranks.
ChartSeries ideal_of(const CellSnapshot& base, const Measure& measure, double most) {
  ChartSeries out{"ideal from " + report::name_of(base), "ideal", Draw::guide, 0, {}, true};
  const double at = (base.*measure.estimate).value / measure.scale;
  const auto first = static_cast<double>(base.cell.ranks);
  for (double ranks = first; ranks <= most; ranks *= 2) {
    const double factor = ranks / first;
    out.points.push_back({ranks, measure.falls ? at / factor : at * factor, kNone, kNone, ""});
  }
  return out;
}

std::optional<double> serial_share(const Family& family) {
  std::vector<std::pair<int64_t, double>> speedups;
  for (const CellSnapshot* cell : family.cells) {
    const snapshot::Efficiency& efficiency = cell->against_serial;
    if (cell->cell.ranks < 2 || efficiency.base.empty() || !efficiency.estimate.ok()) continue;
    speedups.emplace_back(cell->cell.ranks, efficiency.estimate.value * static_cast<double>(cell->cell.ranks));
  }
  return amdahl_fraction(speedups);
}

/// A point at each doubling of ranks, to twice those that were measured: what the law says of `y` = what(ranks,
/// speedup).
std::optional<ChartSeries> amdahl_of(const Family& family, const std::function<double(double, double)>& what) {
  const std::optional<double> serial = serial_share(family);
  if (!serial) return std::nullopt;
  ChartSeries out{fmt::format("{} by Amdahl, serial {}", family.name, report::percent(*serial)),
                  "amdahl " + family.name,
                  Draw::model,
                  family.look,
                  {},
                  true};
  const double most = 2 * static_cast<double>(family.cells.back()->cell.ranks);
  for (double ranks = 1; ranks <= most; ranks *= 2) {
    const double y = what(ranks, amdahl_speedup(*serial, ranks));
    out.points.push_back({ranks, y, kNone, kNone, fmt::format("{}\n{:g} ranks: {:.4g}", out.name, ranks, y)});
  }
  return out;
}

void add_speed_models(Chart& chart, const std::vector<Family>& families, const Measure& measure) {
  for (const Family& family : families) {
    const CellSnapshot& base = *family.cells.front();
    if (base.cell.ranks != 1 || !(base.*measure.estimate).ok()) continue;
    const double at = (base.*measure.estimate).value / measure.scale;
    auto line = amdahl_of(family, [&](double, double speedup) { return measure.falls ? at / speedup : at * speedup; });
    if (line) chart.series.push_back(std::move(*line));
  }
}

void add_efficiency_models(Chart& chart, const std::vector<Family>& families) {
  for (const Family& family : families) {
    auto line = amdahl_of(family, [](double ranks, double speedup) { return speedup / ranks; });
    if (!line) continue;
    line->in_legend = false;  // the chart beside it names the same
    chart.series.push_back(std::move(*line));
  }
}

Chart speed_chart(const WorkloadGroup& group, const std::vector<Family>& families, const Measure& measure) {
  Chart out;
  out.title = measure.title + " against ranks";
  out.x = ranks_axis();
  out.y.title = measure.title, out.y.unit = measure.unit, out.y.logarithmic = true;
  const double most = static_cast<double>(*rank_counts(group).rbegin());
  std::set<const CellSnapshot*> bases;
  for (const Family& family : families) {
    ChartSeries series{family.name, family.name, Draw::line, family.look, {}, true};
    for (const CellSnapshot* cell : family.cells) {
      const stats::Estimate& estimate = cell->*measure.estimate;
      if (estimate.ok() && estimate.value > 0)
        series.points.push_back(point_of(*cell, family.look, estimate, measure.scale, measure.unit));
    }
    if (series.points.empty()) continue;
    out.series.push_back(std::move(series));
    const CellSnapshot* base = family.cells.front();
    if ((base->*measure.estimate).ok() && bases.insert(base).second)
      out.series.push_back(ideal_of(*base, measure, most));
  }
  return out;
}

Chart efficiency_chart(const std::vector<Family>& families) {
  Chart out;
  out.title = "Efficiency against ranks";
  out.x = ranks_axis();
  out.y.title = "efficiency", out.y.from_zero = true;
  double least = 1e300, most = 0;
  const auto add = [&](const Family& family, const char* against, snapshot::Efficiency CellSnapshot::*member,
                       Draw draw) {
    ChartSeries series{family.name + against, family.name, draw, family.look, {}, true, draw == Draw::dots};
    for (const CellSnapshot* cell : family.cells) {
      const snapshot::Efficiency& efficiency = cell->*member;
      if (efficiency.base.empty() || !efficiency.estimate.ok()) continue;
      series.points.push_back(point_of(*cell, family.look, efficiency.estimate, 1, against));
      least = std::min(least, series.points.back().x), most = std::max(most, series.points.back().x);
    }
    if (!series.points.empty()) out.series.push_back(std::move(series));
  };
  for (const Family& family : families) {
    add(family, " against own serial", &CellSnapshot::against_serial, Draw::line);
    add(family, " against copies", &CellSnapshot::against_copies, Draw::dots);
  }
  if (!out.series.empty()) {
    out.series.push_back({"1: nothing lost",
                          "bound",
                          Draw::guide,
                          0,
                          {{std::min(1.0, least), 1, kNone, kNone, ""}, {most * 1.1, 1, kNone, kNone, ""}},
                          true});
  }
  return out;
}

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

report::Table table_of(const WorkloadGroup& group, const RowFilter& filter) {
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
  for (const CellSnapshot& cell : group.cells) {
    if (cell.is_copies || !matches(filter, cell.cell)) continue;
    const report::Value time =
        cell.launches.empty() ? report::missing_value("no finished launch") : report::estimate_value(cell.step_s, 1e-3);
    out.rows.push_back(
        {cell.cell.text,
         {report::text_value(report::name_of(cell)), report::count_value(cell.cell.ranks),
          report::throughput_value(cell, what, unit.size), time, report::efficiency_value(cell.against_serial),
          report::efficiency_value(cell.against_copies), fraction_value(cell)}});
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
  out.table = table_of(group, filter);
  const std::set<int64_t> counts = rank_counts(group);
  if (counts.size() < 2) {
    out.words = fmt::format(
        "{} rank count{} measured, so there is no scaling to show yet: lockstep run -w {} -s serial -s "
        "dp2 -s dp4 -n 6",
        counts.size(), counts.size() == 1 ? " was" : "s were", group.workload);
    return out;
  }
  const std::vector<Family> families = families_of(group, filter);
  if (families.empty()) return out;
  out.speed = speed_chart(group, families, measure_of(group, view.option("scaling.metric", "throughput")));
  out.efficiency = efficiency_chart(families);
  if (view.option("scaling.model", "none") == "amdahl") {
    if (out.weak) {
      out.words = "Amdahl's law is of a problem of fixed size: weak scaling has no such line.";
    } else {
      add_speed_models(out.speed, families, measure_of(group, view.option("scaling.metric", "throughput")));
      add_efficiency_models(out.efficiency, families);
    }
  }
  out.speed.table = out.efficiency.table = out.table;
  if (out.efficiency.series.empty()) {
    out.words = "No serial cell of the same system, so there is no efficiency: add -s serial.";
  }
  return out;
}

}  // namespace lockstep::gui
