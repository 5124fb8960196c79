#include "gui/core/pages/launches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "adapters/contract/plural.h"
#include "gui/core/campaign.h"
#include "gui/core/column_choice.h"
#include "gui/core/filter.h"
#include "gui/core/text.h"
#include "results/report/cell_words.h"
#include "results/report/figures.h"
#include "results/report/tables.h"
#include "results/report/values.h"
#include "results/snapshot/pairing.h"

namespace lockstep::gui {
namespace {

using snapshot::CellSnapshot;
using snapshot::LaunchFigures;

constexpr double kLevel = 0.95;

/// Of what the view's launches are: of one campaign, or of all.
store::LaunchFilter scope_of(const store::CampaignRow& campaign, const ViewState& view) {
  store::LaunchFilter out;
  if (view.option("launches.scope", "campaign") != "store") out.campaign = campaign.id;
  return out;
}

bool needs_figures(const store::LaunchRow& row, const KnownFigures& known) {
  return row.status == store::LaunchStatus::finished && !known.contains(row.id);
}

snapshot::LaunchFigures read_figures_of(store::Store& store, const store::LaunchRow& row) {
  return snapshot::figures(row, store.series(row.id), store.processes(row.id));
}

std::vector<LaunchLine> lines_of(store::Store& store, std::vector<store::LaunchRow> rows, const KnownFigures& known) {
  std::map<std::string, store::CampaignRow> campaigns;
  for (store::CampaignRow& row : store.campaigns()) campaigns[row.id] = std::move(row);
  std::map<std::string, std::shared_ptr<const store::CellRow>> cells;
  std::vector<LaunchLine> out;
  out.reserve(rows.size());
  for (store::LaunchRow& row : rows) {
    std::shared_ptr<const store::CellRow>& cell = cells[row.cell];
    if (!cell) cell = std::make_shared<store::CellRow>(store.cell(row.cell).value_or(store::CellRow{row.cell}));
    const store::CampaignRow& campaign = campaigns[row.campaign];
    LaunchLine line{std::move(row), cell, campaign.number, campaign.suite, {}};
    line.row.supervisor_json.clear(), line.row.git_json.clear();  // nobody reads them here, and they are most of a row
    const auto figures = known.find(line.row.id);
    if (figures != known.end()) line.figures = figures->second;
    out.push_back(std::move(line));
  }
  return out;
}

void add_lines(Launches& out, store::Store& store, store::LaunchFilter scope, Reading reading,
               const KnownFigures& known) {
  if (reading == Reading::first_rows) scope.most = kReadAtOnce + 1;
  std::vector<store::LaunchRow> rows = store.launches(scope);
  const bool few = rows.size() <= kReadAtOnce;
  out.rows_missing = !few && reading == Reading::first_rows;
  if (out.rows_missing) rows.pop_back();
  out.figures_missing = !few && std::any_of(rows.begin(), rows.end(),
                                            [&](const store::LaunchRow& row) { return needs_figures(row, known); });
  std::vector<LaunchLine> lines = lines_of(store, std::move(rows), known);
  for (LaunchLine& line : lines) {
    if (few && needs_figures(line.row, known)) line.figures = read_figures_of(store, line.row);
  }
  out.all = launch_rows(std::move(lines));
}

// Each figure of a cell over that of the base, by Hodges and Lehmann over launches.
struct RatioColumn {
  const char *key, *title;
  double LaunchFigures::*figure;
};
constexpr RatioColumn kRatios[] = {{"step_s_ratio", "time a step / base", &LaunchFigures::step_s},
                                   {"peak_memory_ratio", "peak memory / base", &LaunchFigures::peak_memory_bytes}};

report::Value ratio_value(const CellSnapshot& cell, const CellSnapshot& base, double LaunchFigures::*figure) {
  if (cell.cell.workload != base.cell.workload) return report::missing_value("another workload than the base's");
  if (cell.cell.text == base.cell.text) return report::missing_value("is the base");
  if (cell.launches.empty()) return report::missing_value("no finished launch");
  return report::estimate_value(snapshot::ratio_of(snapshot::samples(cell, base, figure), kLevel));
}

void add_ratios(report::Table& table, const snapshot::CampaignSnapshot& snapshot, const CellSnapshot& base) {
  for (const RatioColumn& ratio : kRatios) {
    report::Column column{ratio.key, ratio.title, "", report::Quantity::ratio, report::Centre::hodges_lehmann,
                          false,     true};
    column.base = base.cell.text;
    table.columns.push_back(column);
    size_t row = 0;
    report::each_cell(snapshot, [&](const CellSnapshot& cell) {
      table.rows[row++].values.push_back(ratio_value(cell, base, ratio.figure));
    });
  }
  report::name_intervals(table);
}

// A row a cell: what a report says of it.
std::shared_ptr<const Rows> cell_rows(store::Store& store, const ViewState& view, Launches& out) {
  const std::optional<snapshot::CampaignSnapshot> snapshot = snapshot_of(store, view);
  if (!snapshot) return launch_rows({});
  report::Table table = report::cells_table(*snapshot);
  report::each_cell(*snapshot, [&](const CellSnapshot& cell) {
    if (cell.cell.text == view.base && !cell.launches.empty()) {
      out.base = view.base;
      add_ratios(table, *snapshot, cell);
    }
  });
  if (!view.base.empty() && out.base.empty()) {
    out.words = "The pinned base has no finished launch in this campaign: " + view.base;
  }
  return std::make_shared<TableRows>(std::move(table));
}

}  // namespace

KnownFigures read_figures(store::Store& store, const ViewState& view, const KnownFigures& known, const Job& job) {
  KnownFigures out;
  const std::optional<store::CampaignRow> campaign = campaign_of(store, view);
  if (!campaign) return out;
  const std::vector<store::LaunchRow> rows = store.launches(scope_of(*campaign, view));
  for (size_t i = 0; i < rows.size(); ++i) {
    job.at(static_cast<double>(i) / static_cast<double>(rows.size()));
    if (needs_figures(rows[i], known)) out[rows[i].id] = read_figures_of(store, rows[i]);
  }
  return out;
}

Launches load_launches(store::Store& store, const ViewState& view, Reading reading, const KnownFigures& known) {
  Launches out;
  const bool whole_store = view.option("launches.scope", "campaign") == "store";
  const bool by_cell = view.option("launches.group", "launch") == "cell";
  const std::optional<store::CampaignRow> campaign = campaign_of(store, view);
  if (by_cell && !whole_store) {
    out.all = cell_rows(store, view, out);
  } else if (campaign) {
    add_lines(out, store, scope_of(*campaign, view), reading, known);
  } else {
    out.all = launch_rows({});
  }
  if (by_cell && whole_store) {
    out.words = "Launches of several campaigns are never pooled: grouping by cell needs one campaign.";
  }
  if (!campaign) out.words = kNoCampaign;
  std::vector<size_t> rows = matching(parse_row_filter(view.filter), *out.all);
  std::vector<size_t> columns(out.all->columns().size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  auto some = std::make_shared<SomeRows>(out.all, std::move(rows), columns);
  if (some->size() == 0 && out.all->size() > 0 && !out.rows_missing) {
    out.words = fmt::format("The filter leaves none of {} rows: {}", out.all->size(), view.filter);
  }
  out.shown = with_chosen_columns(some, view.option("launches.columns", kDifferingColumns));
  return out;
}

std::vector<report::Fact> launch_facts(store::Store& store, const std::string& selector) {
  const store::LaunchRow row = snapshot::resolve(store, snapshot::parse_launch_selector(selector));
  std::vector<report::Fact> out{{"launch", selector}, {"cell", row.cell}};
  out.push_back({"status", fmt::format("{}, mode {}, ended by {}", store::to_text(row.status), store::to_text(row.mode),
                                       row.ended_by.empty() ? "nothing yet" : row.ended_by)});
  if (!row.error_kind.empty()) out.push_back({"error", row.error_kind + ": " + row.error_message});
  if (!row.marks.empty()) out.push_back({"marks", fmt::format("{}", fmt::join(row.marks, "; "))});
  out.push_back({"steps", fmt::format("{}, the first {} are warm-up; {} a rank; seed {}", row.steps, row.warmup,
                                      plural(row.threads, "thread"), row.seed)});
  out.push_back({"started", fmt::format("{}, took {}", utf8(time_text(row.started_utc_ns)),
                                        report::duration_text(
                                            static_cast<double>(row.ended_mono_ns - row.started_mono_ns) / 1e9))});
  if (row.status == store::LaunchStatus::finished) {
    const LaunchFigures figures = snapshot::figures(row, store.series(row.id), store.processes(row.id));
    out.push_back(
        {"speed", fmt::format("{}, step {} ms", report::rate_text(figures), report::number(figures.step_s * 1e3))});
    if (!figures.problem.empty()) out.push_back({"problem", figures.problem});
  }
  for (const store::MemoryRow& memory : store.memory(row.id)) {
    out.push_back({fmt::format("rank {} {}", memory.rank, memory.category),
                   fmt::format("peak {:.1f} MiB", static_cast<double>(memory.peak_bytes) / 1048576)});
  }
  for (const store::ProcessRow& process : store.processes(row.id)) {
    const int64_t peak = process.peak_pss_bytes.value_or(process.peak_rss_bytes.value_or(0));
    out.push_back({fmt::format("{} {}", process.role, process.rank),
                   fmt::format("pid {} on {}, exit {}, peak {:.1f} MiB", process.pid, process.host,
                               process.exit_code ? std::to_string(*process.exit_code) : "unknown",
                               static_cast<double>(peak) / 1048576)});
  }
  out.push_back({"run folder", row.run_folder});
  out.push_back({"its logs", fmt::format("lockstep show {} --log all -20", selector)});
  out.push_back({"again", fmt::format("lockstep rerun {}", selector)});
  return out;
}

}  // namespace lockstep::gui
