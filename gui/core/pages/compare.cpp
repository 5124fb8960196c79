#include "gui/core/pages/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "adapters/contract/failure.h"
#include "gui/core/campaign.h"
#include "gui/core/looks.h"
#include "gui/core/text.h"
#include "results/report/cell_words.h"
#include "results/report/compare.h"
#include "results/report/tables.h"
#include "results/report/values.h"
#include "results/snapshot/compare.h"

namespace lockstep::gui {
namespace {

using snapshot::CampaignComparison;
using snapshot::CampaignSnapshot;
using snapshot::CellSnapshot;
using snapshot::Verdict;

using Sides = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> systems_of(store::Store& store, const store::CampaignRow& campaign) {
  std::vector<std::string> out;
  for (const store::CellRow& cell : store.cells(campaign.id)) {
    if (std::find(out.begin(), out.end(), cell.system) == out.end()) out.push_back(cell.system);
  }
  return out;
}

Sides sides_of(store::Store& store, const store::CampaignRow& shown) {
  Sides out;
  for (const std::string& system : systems_of(store, shown)) {
    out.emplace_back(fmt::format("@{}/system:{}", shown.number, system), system + " of the campaign that is shown");
  }
  const std::vector<store::CampaignRow> all = store.campaigns();
  for (auto row = all.rbegin(); row != all.rend(); ++row) {
    out.emplace_back(fmt::format("@{}", row->number), row->suite + ", " + utf8(time_text(row->started_utc_ns)));
    for (const std::string& tag : row->tags) out.emplace_back(tag, fmt::format("tag of @{}", row->number));
  }
  return out;
}

// The campaign of the same suite before it comes first: that is what people changed something between.
std::pair<std::string, std::string> usual_sides(store::Store& store, const store::CampaignRow& shown) {
  const std::vector<std::string> systems = systems_of(store, shown);
  if (systems.size() > 1) {
    return {fmt::format("@{}/system:{}", shown.number, systems[0]),
            fmt::format("@{}/system:{}", shown.number, systems[1])};
  }
  std::string before;
  for (const store::CampaignRow& row : store.campaigns()) {
    if (row.number < shown.number && row.suite == shown.suite) before = fmt::format("@{}", row.number);
  }
  return {before, fmt::format("@{}", shown.number)};
}

const CellSnapshot* cell_of(const CampaignSnapshot& snapshot, const std::string& text) {
  const CellSnapshot* out = nullptr;
  report::each_cell(snapshot, [&](const CellSnapshot& cell) {
    if (cell.cell.text == text) out = &cell;
  });
  return out;
}

/// What the charts show of a metric.
struct Shown {
  const char *title, *unit;
  double scale;
  double snapshot::LaunchFigures::*figure;
};
constexpr Shown kTime{"time a step", "ms", 1e-3, &snapshot::LaunchFigures::step_s};
constexpr Shown kMemory{"peak memory", "MiB", 1 << 20, &snapshot::LaunchFigures::peak_memory_bytes};

struct SideOf {
  std::string name;
  int row = 0;                       ///< of the chart
  size_t look = 0;                   ///< of its cell
  bool hollow = false;               ///< the other side has the same look
  std::vector<ChartPoint> launches;  ///< x: the value, sorted
};

SideOf side_of(const char* letter, const snapshot::Side& side, const store::CellRow& row, const Shown& shown) {
  SideOf out;
  out.name = fmt::format("{} {}", letter, side.selector);
  const CellSnapshot* cell = cell_of(side.snapshot, row.text);
  if (cell == nullptr) return out;
  for (const snapshot::LaunchFigures& launch : cell->launches) {
    const double value = launch.*shown.figure / shown.scale;
    if (!std::isfinite(value)) continue;
    ChartPoint point{value, 0, kNone, kNone, ""};
    point.tip = fmt::format("@{}.{}, block {}\n{} {:.6g} {}", side.snapshot.campaign.number, launch.number,
                            launch.block, shown.title, value, shown.unit);
    out.launches.push_back(point);
  }
  std::sort(out.launches.begin(), out.launches.end(), [](const auto& p, const auto& q) { return p.x < q.x; });
  return out;
}

double quantile(const std::vector<ChartPoint>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below].x + (at - static_cast<double>(below)) * (sorted[above].x - sorted[below].x);
}

ChartSeries box_of(const SideOf& side) {
  ChartPoint box{quantile(side.launches, 0.5), static_cast<double>(side.row), side.launches.front().x,
                 side.launches.back().x, ""};
  box.quarter = quantile(side.launches, 0.25), box.three_quarters = quantile(side.launches, 0.75);
  return {side.name + " box", "", Draw::hbox, side.look, {box}, false};
}

// Launches in a row would hide each other: they stand a little above and below it, in turn.
ChartSeries dots_of(SideOf side) {
  for (size_t i = 0; i < side.launches.size(); ++i) {
    side.launches[i].y = side.row + 0.08 * (static_cast<double>(i % 5) - 2);
  }
  return {side.name, "", Draw::marks, side.look, side.launches, true, side.hollow};
}

ChartSeries distribution_of(const SideOf& side) {
  ChartSeries out{side.name, "", Draw::steps, side.look, {}, true, side.hollow};
  const auto n = static_cast<double>(side.launches.size());
  out.points.push_back({side.launches.front().x, 0, kNone, kNone, ""});
  for (size_t i = 0; i < side.launches.size(); ++i) {
    ChartPoint point = side.launches[i];
    point.y = static_cast<double>(i + 1) / n;
    out.points.push_back(point);
  }
  return out;
}

report::Table launches_table(const std::vector<SideOf>& sides, const Shown& shown) {
  report::Table out;
  out.title = fmt::format("{} of every launch", shown.title);
  out.columns = {report::name_column("side", "side"),
                 {"value", shown.title, shown.unit, report::Quantity::cost, report::Centre::none, false}};
  for (const SideOf& side : sides) {
    for (const ChartPoint& launch : side.launches) {
      out.rows.push_back({"", {report::text_value(side.name), report::number_value(launch.x)}});
    }
  }
  return out;
}

void add_charts(Comparison& out, const CampaignComparison& comparison, const Verdict& verdict, const Looks& looks) {
  const Shown& shown = verdict.metric == "time" ? kTime : kMemory;
  std::vector<SideOf> sides{side_of("A", comparison.a, verdict.cell_a, shown),
                            side_of("B", comparison.b, verdict.cell_b, shown)};
  sides[0].look = looks.of(verdict.cell_a.text);
  sides[1].look = looks.of(verdict.cell_b.text), sides[1].row = 1;
  sides[1].hollow = sides[0].look == sides[1].look;
  out.launches.title = out.distribution.title = fmt::format("{}: {}", shown.title, verdict.cell().text);
  out.launches.x.title = out.distribution.x.title = shown.title;
  out.launches.x.unit = out.distribution.x.unit = shown.unit;
  out.distribution.y.title = "share of launches";
  out.distribution.y.from_zero = true;
  for (const SideOf& side : sides) {
    out.launches.y.categories.push_back(side.name);
    if (side.launches.empty()) continue;
    out.launches.series.push_back(box_of(side));
    out.launches.series.push_back(dots_of(side));
    out.distribution.series.push_back(distribution_of(side));
  }
  out.launches.table = out.distribution.table = launches_table(sides, shown);
}

report::Table environments_table(const CampaignComparison& comparison) {
  report::Table out;
  out.title = "How the environments differ";
  out.columns = {report::name_column("key", "what"), report::name_column("a", "A"), report::name_column("b", "B"),
                 report::name_column("must_match", "must match")};
  for (const snapshot::Difference& difference : comparison.differences) {
    out.rows.push_back(
        {difference.key,
         {report::text_value(difference.key), report::text_value(difference.a.empty() ? "none" : difference.a),
          report::text_value(difference.b.empty() ? "none" : difference.b),
          report::text_value(difference.must_match ? "yes: times are not comparable" : "no")}});
  }
  return out;
}

std::shared_ptr<const Compared> compared(store::Store& store, const std::string& a, const std::string& b,
                                         const std::shared_ptr<const Compared>& known) {
  const int64_t version = store.data_version();
  if (known && known->a == a && known->b == b && known->store_version == version) return known;
  return std::make_shared<Compared>(Compared{
      a, b, version, snapshot::compare(store, snapshot::load_side(store, a), snapshot::load_side(store, b), {})});
}

}  // namespace

Comparison load_comparison(store::Store& store, const ViewState& view, const std::shared_ptr<const Compared>& known) {
  Comparison out;
  const std::optional<store::CampaignRow> campaign = campaign_of(store, view);
  if (!campaign) {
    out.words = kNoCampaign;
    return out;
  }
  out.sides = sides_of(store, *campaign);
  const auto [a, b] = usual_sides(store, *campaign);
  out.a = view.compare_a.empty() ? a : view.compare_a;
  out.b = view.compare_b.empty() ? b : view.compare_b;
  if (out.a.empty()) {
    out.words =
        "Nothing to compare with yet: this campaign has one system and is the first of its suite. Choose another "
        "side A, or run the suite again.";
    return out;
  }
  try {
    out.compared = compared(store, out.a, out.b, known);
    const CampaignComparison& comparison = out.compared->comparison;
    out.verdict = report::verdict_counts(comparison, "time");
    if (comparison.relation == snapshot::Relation::builds && !out.verdict.empty()) {
      out.verdict = fmt::format("B ({}) against A ({}): {}", out.b, out.a, out.verdict);
    }
    if (comparison.verdicts.empty()) out.words = "No cell of A has a counterpart in B.";
    out.head = report::comparison_head(comparison), out.foot = report::comparison_foot(comparison);
    out.verdicts = report::verdicts_table(comparison);
    out.environments = environments_table(comparison);
    const std::string wanted = view.option("compare.verdict", "");
    const Looks looks(store);
    for (const Verdict& verdict : comparison.verdicts) {
      const std::string key = report::verdict_key(verdict);
      const bool first = out.chosen.empty();
      if (!first && key != wanted) continue;
      out.chosen = key, out.launches = {}, out.distribution = {};
      add_charts(out, comparison, verdict, looks);
    }
  } catch (const Failure& failure) {
    if (failure.kind() != "usage") throw;
    out.words = failure.what();  // the sides can still be chosen
  }
  return out;
}

}  // namespace lockstep::gui
