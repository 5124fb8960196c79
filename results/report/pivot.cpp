#include "results/report/pivot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "adapters/contract/failure.h"
#include "results/report/cell_words.h"
#include "results/report/pivot_grid.h"
#include "results/report/tables.h"
#include "results/report/values.h"
#include "results/snapshot/pairing.h"

namespace lockstep::report {
namespace {

using snapshot::CampaignSnapshot;
using snapshot::CellSnapshot;
using snapshot::LaunchFigures;
constexpr double kLevel = 0.95;

struct Metric {
  const char* name;
  Column column;
  double scale;
  double LaunchFigures::*figure;  ///< what a ratio is of; null: it is a ratio already
  Value (*value)(const CellSnapshot&, double scale);
};

Value launches_or(const CellSnapshot& cell, const Value& value) {
  return cell.launches.empty() ? missing_value("no finished launch") : value;
}

std::array<Metric, 5> metrics() {
  const Column bytes{"bytes_sent_per_rank_and_step", "sent per rank and step", "kB", Quantity::cost, Centre::median};
  return {Metric{"time",
                 {"step_s", "time a step", "ms", Quantity::cost, Centre::median, false, true},
                 1e-3,
                 &LaunchFigures::step_s,
                 [](const CellSnapshot& c, double scale) { return launches_or(c, estimate_value(c.step_s, scale)); }},
          Metric{"throughput", throughput_column(Counted::samples, "samples/s"), 1, &LaunchFigures::samples_per_s,
                 [](const CellSnapshot& c, double scale) { return throughput_value(c, counted(c), scale); }},
          Metric{"efficiency", serial_efficiency_column(), 1, nullptr,
                 [](const CellSnapshot& c, double) { return efficiency_value(c.against_serial); }},
          Metric{"peak_memory",
                 {"peak_memory_bytes", "peak memory", "MiB", Quantity::cost, Centre::median, false, true},
                 1048576,
                 &LaunchFigures::peak_memory_bytes,
                 [](const CellSnapshot& c, double scale) {
                   return launches_or(c, estimate_value(c.peak_memory_bytes, scale));
                 }},
          Metric{"bytes_sent", bytes, 1000, &LaunchFigures::bytes_sent, [](const CellSnapshot& c, double scale) {
                   return launches_or(c, number_value(c.bytes_sent, scale));
                 }}};
}

template <class Range>
void check_word(const char* option, const std::string& word, const Range& known) {
  std::vector<std::string> names;
  for (const auto& one : known) names.emplace_back(one.name);
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  refuse({"", option, word, fmt::format("one of {}", fmt::join(names, ", ")), "lockstep report --help shows them"});
}

const PivotKey& base_key(const CampaignSnapshot& snapshot, const PivotRequest& request) {
  std::set<std::string> values;
  for (const std::string& name : {request.row, request.col}) {
    const PivotKey& key = pivot_key(name);
    each_cell(snapshot, [&](const CellSnapshot& cell) { values.insert(key.of(cell)); });
    if (values.contains(request.base)) return key;
  }
  refuse({"", "--base", request.base, fmt::format("neither a {} nor a {} of this campaign", request.row, request.col),
          fmt::format("one of {}", fmt::join(values, ", "))});
}

/// What an entry is relative to.
struct Base {
  const CampaignSnapshot* snapshot;
  const PivotKey* key;  ///< null: values as they are
  std::string value;
};

// The ratio to the only cell with the base's value that agrees in everything else.
Value against_base(const CellSnapshot& cell, const Base& base, double LaunchFigures::*figure) {
  Cells bases;
  each_cell(*base.snapshot, [&](const CellSnapshot& other) {
    if (base.key->of(other) == base.value && agree_but_for(*base.key, cell, other)) bases.push_back(&other);
  });
  if (bases.empty()) return missing_value(fmt::format("no {} to compare with", base.value));
  if (bases.size() > 1)
    return missing_value(fmt::format("{} cells of {}: which is the base?", bases.size(), base.value));
  if (cell.launches.empty()) return missing_value("no finished launch");
  if (bases.front()->launches.empty()) return missing_value("no finished launch of the base");
  if (bases.front()->proof == store::ProofState::failed) return missing_value("equal work of the base FAILED");
  if (bases.front() == &cell) return {"base", {1, 1, 1, 0, 0}, true, ""};
  return estimate_value(snapshot::ratio_of(snapshot::samples(cell, *bases.front(), figure), kLevel));
}

Column entry_column(const PivotRequest& request, const Column& metric, const std::string& col) {
  Column out = metric;
  if (!request.base.empty()) {
    out = {out.key + "_ratio", out.title, "", Quantity::ratio, Centre::hodges_lehmann, false, true};
    out.base = request.base + ", the cell that agrees in all but what follows from it";
  }
  out.key = fmt::format("{}={}:{}", request.col, col, out.key);
  out.title = request.col + " " + col;
  return out;
}

Table table_of(const PivotPage& page, const PivotRequest& request, const Metric& metric, const Base& base) {
  const PivotGrid grid = pivot_grid(page.cells, request);
  Table out;
  std::vector<std::string> unequal;
  out.title = fmt::format("{}{}{}{}", metric.column.title, base.key == nullptr ? "" : " / that of " + base.value,
                          page.name.empty() ? "" : ": ", page.name);
  out.columns.push_back(name_column(request.row, request.row));
  for (const std::string& col : grid.cols) out.columns.push_back(entry_column(request, metric.column, col));
  for (const std::string& row : grid.rows) {
    out.rows.push_back({"", {text_value(row)}});
    for (const std::string& col : grid.cols) {
      const auto place = grid.places.find({row, col});
      if (place == grid.places.end()) {
        out.rows.back().values.push_back(missing_value("no such cell"));
        continue;
      }
      const CellSnapshot& cell = *place->second;
      Value value = base.key == nullptr ? metric.value(cell, metric.scale) : against_base(cell, base, metric.figure);
      if (cell.proof == store::ProofState::failed && !cell.launches.empty()) {
        value.unequal = true, value.text += fmt::format(" {}", kUnequal);
        unequal.push_back(name_of(cell));
      }
      out.rows.back().values.push_back(std::move(value));
    }
  }
  if (!unequal.empty()) {
    out.notes.push_back(
        fmt::format("{}: equal work FAILED, not to be compared: {}", kUnequal, fmt::join(unequal, ", ")));
  }
  std::vector<Value> all;
  for (const Row& row : out.rows) all.insert(all.end(), row.values.begin() + 1, row.values.end());
  const Column& metric_column = out.columns.back();  // what holds for one entry column holds for all
  const std::string interval = metric_column.ranged ? interval_text(all, centre_words(metric_column.centre)) : "";
  for (size_t i = 1; i < out.columns.size(); ++i) out.columns[i].interval = interval;
  return out;
}

}  // namespace

std::vector<Table> pivot(const CampaignSnapshot& snapshot, const PivotRequest& request) {
  const std::array<Metric, 5> all = metrics();
  check_word("--row", request.row, pivot_keys());
  check_word("--col", request.col, pivot_keys());
  check_word("--metric", request.metric, all);
  Metric metric = *std::find_if(all.begin(), all.end(), [&](const Metric& one) { return one.name == request.metric; });
  if (!request.base.empty() && metric.figure == nullptr) {
    refuse({"", "--base", request.base, "efficiency has its own base, the system's serial cell", "leave --base out"});
  }
  const Base base{&snapshot, request.base.empty() ? nullptr : &base_key(snapshot, request), request.base};
  std::vector<Table> out;
  for (const PivotPage& page : pivot_pages(snapshot, request)) {
    const Counted what = counted(*page.cells.front());
    if (request.metric == "throughput") metric.column = throughput_column(what, unit_name(what));
    out.push_back(table_of(page, request, metric, base));
  }
  return out;
}

Table joined(const std::vector<Table>& tables) {
  Table out;
  out.columns.push_back(name_column("table", "table"));
  std::map<std::string, size_t> places;
  for (const Table& table : tables) {
    for (const Column& column : table.columns) {
      if (places.try_emplace(column.key, out.columns.size()).second) out.columns.push_back(column);
    }
  }
  for (const Table& table : tables) {
    for (const Row& row : table.rows) {
      Row line{row.cell, std::vector<Value>(out.columns.size(), missing_value("no such column"))};
      line.values[0] = text_value(table.title);
      for (size_t i = 0; i < row.values.size(); ++i) line.values[places.at(table.columns[i].key)] = row.values[i];
      out.rows.push_back(std::move(line));
    }
  }
  return out;
}

}  // namespace lockstep::report
