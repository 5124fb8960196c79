#include "gui/core/pages/scaling_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "gui/core/pages/scaling.h"
#include "gui/core/pages/scaling_model.h"
#include "results/report/cell_words.h"
#include "results/report/figures.h"
#include "results/report/values.h"
#include "results/snapshot/efficiency.h"

namespace lockstep::gui {
namespace {

using snapshot::CellSnapshot;
using snapshot::WorkloadGroup;
using Family = ScalingFamily;

ChartAxis ranks_axis() {
  ChartAxis out;
  out.title = "ranks", out.logarithmic = true, out.base = 2;
  return out;
}

// Intervals at the same number of ranks would hide each other: each family stands a little beside the one before.
constexpr double kBeside = 0.03;

double beside(const CellSnapshot& cell, double place) {
  const auto ranks = static_cast<double>(cell.cell.ranks);
  return snapshot::is_serial(cell.cell) ? ranks : ranks * (1 + kBeside * place);
}

ChartPoint point_of(const CellSnapshot& cell, double place, const stats::Estimate& estimate, double scale,
                    const std::string& unit) {
  const bool interval = estimate.level > 0;
  ChartPoint out;
  out.x = beside(cell, place), out.y = estimate.value / scale;
  out.low = interval ? estimate.low / scale : kNone, out.high = interval ? estimate.high / scale : kNone;
  out.tip = fmt::format("{}\n{} {}", report::name_of(cell), report::estimate_value(estimate, scale).text, unit);
  return out;
}

/// Collects a family's line, and its points as series of their own: each cell once, as several families begin with the
/// same serial cell.
class FamilyPoints {
 public:
  FamilyPoints(Chart& chart, const Looks& looks) : chart_(chart), looks_(looks) {}

  void begin(const Family& family, Draw draw) { line_ = {family.name, family.name, draw, family.look, {}, true}; }
  void add(const CellSnapshot& cell, const ChartPoint& point) {
    line_.points.push_back(point);
    line_.points.back().low = line_.points.back().high = kNone, line_.points.back().tip.clear();
    if (known_.insert(&cell).second) dots_.push_back(dot(cell, point, false));
  }
  void add_hollow(const CellSnapshot& cell, const ChartPoint& point) { dots_.push_back(dot(cell, point, true)); }
  /// False: the family has no point.
  bool end() {
    if (line_.points.empty()) return false;
    chart_.series.push_back(std::move(line_));
    return true;
  }
  /// Points are painted over all lines.
  void finish() {
    for (ChartSeries& dot : dots_) chart_.series.push_back(std::move(dot));
  }
  bool any() const { return !dots_.empty(); }

 private:
  ChartSeries dot(const CellSnapshot& cell, const ChartPoint& point, bool hollow) const {
    return {report::name_of(cell), cell.cell.text, Draw::dots, looks_.of(cell.cell.text), {point}, false, hollow};
  }

  Chart& chart_;
  const Looks& looks_;
  ChartSeries line_;
  std::vector<ChartSeries> dots_;
  std::set<const CellSnapshot*> known_;
};

// The line that a perfect system would follow through the base, from the least to the most ranks.
ChartSeries ideal_of(const CellSnapshot& base, const ScalingMeasure& measure, double least, double most) {
  ChartSeries out{"ideal from " + report::name_of(base), "ideal", Draw::guide, 0, {}, true};
  const double at = (base.*measure.estimate).value / measure.scale;
  const auto first = static_cast<double>(base.cell.ranks);
  for (double ranks = least; ranks <= most; ranks *= 2) {
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
                  "",
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

void add_speed_models(Chart& chart, const std::vector<Family>& families, const ScalingMeasure& measure) {
  for (const Family& family : families) {
    const CellSnapshot& base = *family.cells.front();
    if (base.cell.ranks != 1 || !(base.*measure.estimate).ok()) continue;
    const double at = (base.*measure.estimate).value / measure.scale;
    auto line = amdahl_of(family, [&](double, double speedup) { return measure.falls ? at / speedup : at * speedup; });
    if (line) chart.series.push_back(std::move(*line));
  }
}

// The law begins at the family's serial cell, which is 1 against itself and something else against a pinned base.
std::optional<double> efficiency_of_one_rank(const Family& family, const PinnedBase& base) {
  if (base.cell() == nullptr) return 1;
  const CellSnapshot& first = *family.cells.front();
  if (first.cell.ranks != 1 || first.launches.empty()) return std::nullopt;
  const stats::Estimate out = base.efficiency(first);
  return out.ok() ? std::make_optional(out.value) : std::nullopt;
}

void add_efficiency_models(Chart& chart, const std::vector<Family>& families, const PinnedBase& base) {
  for (const Family& family : families) {
    const std::optional<double> one = efficiency_of_one_rank(family, base);
    if (!one) continue;
    auto line = amdahl_of(family, [&](double ranks, double speedup) { return *one * speedup / ranks; });
    if (!line) continue;
    line->in_legend = false;  // the chart beside it names the same
    chart.series.push_back(std::move(*line));
  }
}

std::optional<stats::Estimate> efficiency_of(const CellSnapshot& cell, const PinnedBase& base) {
  if (base.cell() == nullptr) {
    const bool is = !cell.against_serial.base.empty() && cell.against_serial.estimate.ok();
    return is ? std::make_optional(cell.against_serial.estimate) : std::nullopt;
  }
  const stats::Estimate out = base.efficiency(cell);
  return out.ok() ? std::make_optional(out) : std::nullopt;
}

// What filled marks and outlines are.
void explain_marks(Chart& chart, const std::string& filled, bool hollow) {
  chart.series.push_back({filled, "", Draw::dots, 0, {}, true, false, true});
  if (hollow) chart.series.push_back({"against copies", "", Draw::dots, 0, {}, true, true, true});
}

}  // namespace

std::set<int64_t> rank_counts(const WorkloadGroup& group) {
  std::set<int64_t> out;
  for (const CellSnapshot& cell : group.cells) {
    if (!cell.launches.empty() && !cell.is_copies) out.insert(cell.cell.ranks);
  }
  return out;
}

std::vector<Family> families_of(const WorkloadGroup& group, const RowFilter& filter, const Looks& looks) {
  std::vector<Family> out;
  for (const CellSnapshot& cell : group.cells) {
    if (cell.launches.empty() || cell.is_copies || snapshot::is_serial(cell.cell)) continue;
    const std::string name = cell.cell.system + " " + scaling_family(cell.cell);
    auto found = std::find_if(out.begin(), out.end(), [&](const Family& family) { return family.name == name; });
    if (found == out.end()) found = out.insert(out.end(), {name, 0, static_cast<double>(out.size()), {}});
    found->cells.push_back(&cell);
  }
  const auto fewer_ranks = [](const auto* a, const auto* b) { return a->cell.ranks < b->cell.ranks; };
  for (Family& family : out) {
    std::stable_sort(family.cells.begin(), family.cells.end(), fewer_ranks);
    family.look = looks.of(family.cells.front()->cell.text);
    const CellSnapshot* serial = snapshot::serial_of(group, family.cells.front()->cell);
    if (serial != nullptr && !serial->launches.empty()) family.cells.insert(family.cells.begin(), serial);
    std::erase_if(family.cells, [&](const CellSnapshot* cell) { return !matches(filter, cell->cell); });
  }
  std::erase_if(out, [](const Family& family) { return family.cells.empty(); });
  return out;
}

ScalingMeasure measure_of(const WorkloadGroup& group, const std::string& metric) {
  if (metric == "time") return {"time a step", "ms", 1e-3, &CellSnapshot::step_s, true};
  const report::Unit unit = report::unit_of(group);
  return {"throughput", unit.name, unit.size, &CellSnapshot::throughput, false};
}

Chart speed_chart(const ScalingShown& shown, const ScalingMeasure& measure) {
  Chart out;
  out.title = measure.title + " against ranks";
  out.x = ranks_axis();
  out.y.title = measure.title, out.y.unit = measure.unit, out.y.logarithmic = true;
  const std::set<int64_t> counts = rank_counts(shown.group);
  const auto least = static_cast<double>(*counts.begin()), most = static_cast<double>(*counts.rbegin());
  std::set<const CellSnapshot*> bases;
  const auto add_ideal = [&](const CellSnapshot& base, double from) {
    if ((base.*measure.estimate).ok() && bases.insert(&base).second)
      out.series.push_back(ideal_of(base, measure, from, most));
  };
  FamilyPoints points(out, shown.looks);
  for (const Family& family : shown.families) {
    points.begin(family, Draw::joined);
    for (const CellSnapshot* cell : family.cells) {
      const stats::Estimate& estimate = cell->*measure.estimate;
      if (estimate.ok() && estimate.value > 0)
        points.add(*cell, point_of(*cell, family.place, estimate, measure.scale, measure.unit));
    }
    const CellSnapshot& first = *family.cells.front();
    if (points.end() && shown.base.cell() == nullptr) add_ideal(first, static_cast<double>(first.cell.ranks));
  }
  if (shown.base.cell() != nullptr) add_ideal(*shown.base.cell(), least);
  points.finish();
  if (shown.amdahl) add_speed_models(out, shown.families, measure);
  return out;
}

Chart efficiency_chart(const ScalingShown& shown) {
  Chart out;
  out.title = "Efficiency against ranks";
  out.x = ranks_axis();
  out.y.title = "efficiency", out.y.from_zero = true;
  double most = 1;
  bool copies = false;
  const std::string against =
      shown.base.cell() == nullptr ? "against own serial" : "against " + report::name_of(*shown.base.cell());
  FamilyPoints points(out, shown.looks);
  for (const Family& family : shown.families) {
    points.begin(family, Draw::joined);
    for (const CellSnapshot* cell : family.cells) {
      if (const auto own = efficiency_of(*cell, shown.base))
        points.add(*cell, point_of(*cell, family.place, *own, 1, against));
      const snapshot::Efficiency& copy = cell->against_copies;
      if (copy.base.empty() || !copy.estimate.ok()) continue;
      points.add_hollow(*cell, point_of(*cell, family.place + 0.5, copy.estimate, 1, "against copies"));
      copies = true;
    }
    most = std::max(most, beside(*family.cells.back(), family.place));
    points.end();
  }
  if (!points.any()) return out;
  out.series.push_back({"1: nothing lost",
                        "bound",
                        Draw::guide,
                        0,
                        {{1, 1, kNone, kNone, ""}, {most * 1.1, 1, kNone, kNone, ""}},
                        true});
  points.finish();
  explain_marks(out, against, copies);
  if (shown.amdahl) add_efficiency_models(out, shown.families, shown.base);
  return out;
}

}  // namespace lockstep::gui
