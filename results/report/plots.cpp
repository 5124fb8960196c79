#include "results/report/plots.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/report/cell_words.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::report {
namespace {

using snapshot::CellSnapshot;
using snapshot::RankBreakdown;
using snapshot::WorkloadGroup;

std::optional<Figure> finished_figure(Figure figure) {
  if (figure.table.rows.empty()) return std::nullopt;
  name_intervals(figure.table);
  return figure;
}

Column one_launch_column(std::string key, std::string title, std::string unit, Centre centre) {
  Column out{std::move(key), std::move(title), std::move(unit), Quantity::cost, centre, false};
  out.interval = "none: one launch, which is named";
  return out;
}

// A class of the breakdown and where it stands.
struct Share {
  const char *key, *title;
  int64_t RankBreakdown::*member;
};
constexpr Share kShares[] = {{"compute_s_per_step", "compute", &RankBreakdown::compute_ns},
                             {"data_s_per_step", "data", &RankBreakdown::data_ns},
                             {"waiting_s_per_step", "waiting", &RankBreakdown::waiting_ns},
                             {"transfer_s_per_step", "transfer", &RankBreakdown::transfer_ns},
                             {"other_s_per_step", "other", &RankBreakdown::other_ns}};

void add_ranks(Table& table, const CellSnapshot& cell, int64_t campaign) {
  for (const RankBreakdown& rank : cell.breakdown.ranks) {
    Row row{cell.cell.text, {text_value(fmt::format("{}, rank {}", name_of(cell), rank.rank))}};
    for (const Share& share : kShares) row.values.push_back(number_value(rank.s_per_step(rank.*share.member), 1e-3));
    row.values.push_back(text_value(fmt::format("@{}.{}", campaign, cell.breakdown.launch)));
    table.rows.push_back(std::move(row));
  }
  if (cell.breakdown.dropped > 0) {
    table.notes.push_back(
        fmt::format("{}: {} records did not fit and count as other.", name_of(cell), cell.breakdown.dropped));
  }
  if (!cell.breakdown.why_not.empty()) table.notes.push_back(name_of(cell) + ": " + cell.breakdown.why_not);
}

void add_curve(Table& table, const CellSnapshot& cell, int64_t campaign) {
  const snapshot::LossCurve& curve = cell.loss_curve;
  const std::string label = fmt::format("{} (@{}.{})", name_of(cell), campaign, curve.launch);
  for (const snapshot::LossPoint& point : curve.points) {
    table.rows.push_back({cell.cell.text,
                          {text_value(label), number_value(point.time_s),
                           number_value(point.loss, 1, "the loss is not a number"), count_value(point.step)}});
  }
}

}  // namespace

std::optional<Figure> throughput_figure(const WorkloadGroup& group) {
  const Unit unit = unit_of(group);
  const Counted what = counted(group);
  Figure out{"Throughput", Mark::dots, {"throughput", unit.name, unit.size, true}, {"cell", "1"}, {}, {}};
  out.table.columns = {name_column("cell", "cell"), throughput_column(what, unit.name)};
  for (const CellSnapshot& cell : group.cells) {
    if (cell.launches.empty()) continue;
    out.table.rows.push_back({cell.cell.text, {text_value(name_of(cell)), throughput_value(cell, what, unit.size)}});
  }
  return finished_figure(std::move(out));
}

std::optional<Figure> efficiency_figure(const WorkloadGroup& group) {
  Figure out{"Efficiency of several ranks", Mark::dots, {"efficiency", "1", 1, true}, {"cell", "1"}, 1.0, {}};
  out.table.columns = {name_column("cell", "cell"), serial_efficiency_column(), copies_efficiency_column()};
  for (const CellSnapshot& cell : group.cells) {
    if (cell.launches.empty() || cell.cell.ranks == 1) continue;
    out.table.rows.push_back(
        {cell.cell.text,
         {text_value(name_of(cell)), efficiency_value(cell.against_serial), efficiency_value(cell.against_copies)}});
  }
  return finished_figure(std::move(out));
}

std::optional<Figure> loss_figure(const WorkloadGroup& group, int64_t campaign) {
  Figure out{"Loss against time",      Mark::line, {"time since the first step", "s", 1, true},
             {"loss", "nat", 1, true}, {},         {}};
  out.table.columns = {name_column("curve", "curve"), one_launch_column("time_s", "time", "s", Centre::none),
                       one_launch_column("loss", "loss", "nat", Centre::arithmetic_mean), count_column("step", "step")};
  for (const CellSnapshot& cell : group.cells) {
    if (!cell.is_copies) add_curve(out.table, cell, campaign);
  }
  out.table.notes = {
      "Each curve is the cell's first finished launch, warm-up included; at most 200 evenly spaced steps, "
      "picked and not smoothed. The loss is the mean over ranks, weighted by their positions."};
  return finished_figure(std::move(out));
}

std::optional<Figure> breakdown_figure(const WorkloadGroup& group, int64_t campaign) {
  Figure out{"Where the time of a step goes", Mark::bars, {"time a step", "ms", 1e-3, true}, {"rank", "1"}, {}, {}};
  out.table.columns = {name_column("rank", "rank")};
  for (const Share& share : kShares) {
    out.table.columns.push_back(one_launch_column(share.key, share.title, "ms", Centre::arithmetic_mean));
  }
  out.table.columns.push_back(name_column("launch", "launch"));
  out.table.notes = {
      "Mean over the steps of one recorded launch, outside the statistics: recording costs time. Each "
      "nanosecond has one class: compute (forward, backward, optimizer), data, waiting for a peer, "
      "transfer that nothing hides, other."};
  for (const CellSnapshot& cell : group.cells) add_ranks(out.table, cell, campaign);
  return finished_figure(std::move(out));
}

}  // namespace lockstep::report
