#include "results/report/pivot_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "results/report/cell_words.h"

namespace lockstep::report {
namespace {

using snapshot::CellSnapshot;

constexpr const char* kOneRank = "one rank";

const std::array kPivotKeys = {
    PivotKey{"workload", [](const CellSnapshot& c) { return c.cell.workload; }, "system strategy fabric"},
    PivotKey{"preset", [](const CellSnapshot& c) { return c.preset; }, "model system strategy fabric"},
    PivotKey{"system", [](const CellSnapshot& c) { return c.cell.system; }, "workload strategy"},
    PivotKey{"strategy", [](const CellSnapshot& c) { return c.cell.strategy; }, "workload system"},
    PivotKey{"fabric", [](const CellSnapshot& c) { return c.cell.fabric.empty() ? kOneRank : c.cell.fabric; },
             "workload system strategy"},
    PivotKey{"ranks", [](const CellSnapshot& c) { return fmt::format("{}", c.cell.ranks); }, "workload system"},
    PivotKey{"model", [](const CellSnapshot& c) { return c.workload_id; }, ""}};  // the last is not for people

std::vector<std::string> blank_separated(const std::string& list) {
  std::vector<std::string> out;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(' ', at), list.size());
    out.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

void sort_ranks(const std::string& key, std::vector<std::string>& list) {
  if (key != "ranks") return;
  std::sort(list.begin(), list.end(),
            [](const auto& a, const auto& b) { return std::pair(a.size(), a) < std::pair(b.size(), b); });
}

std::string row_name(const CellSnapshot& cell, const PivotRequest& request, const std::vector<std::string>& more) {
  std::string out = pivot_key(request.row).of(cell);
  for (const std::string& key : more) {
    const std::string word = pivot_key(key).of(cell);
    if (key == request.row || key == request.col || word == kOneRank) continue;
    out += (key == "fabric" ? " on " : " ") + word;
  }
  return out;
}

// Nothing where two cells share a place.
std::optional<PivotGrid> grid_with(const Cells& cells, const PivotRequest& request, const char* more) {
  PivotGrid out;
  for (const CellSnapshot* cell : cells) {
    const std::string row = row_name(*cell, request, blank_separated(more));
    const std::string col = pivot_key(request.col).of(*cell);
    if (!out.places.try_emplace({row, col}, cell).second) return std::nullopt;
    add_once(out.rows, row), add_once(out.cols, col);
  }
  sort_ranks(request.row, out.rows), sort_ranks(request.col, out.cols);
  return out;
}

}  // namespace

std::span<const PivotKey> pivot_keys() { return std::span(kPivotKeys).first(kPivotKeys.size() - 1); }

const PivotKey& pivot_key(const std::string& name) {
  return *std::find_if(kPivotKeys.begin(), kPivotKeys.end(), [&](const PivotKey& key) { return key.name == name; });
}

bool agree_but_for(const PivotKey& key, const CellSnapshot& a, const CellSnapshot& b) {
  const std::vector<std::string> names = blank_separated(key.agree);
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return pivot_key(name).of(a) == pivot_key(name).of(b); });
}

std::vector<PivotPage> pivot_pages(const snapshot::CampaignSnapshot& snapshot, const PivotRequest& request) {
  const auto asked = [&](const char* key) { return request.row == key || request.col == key; };
  std::vector<PivotPage> out;
  each_cell(snapshot, [&](const CellSnapshot& cell) {
    std::string name;
    if (!asked("workload")) name = asked("preset") ? cell.workload_id : cell.cell.workload;
    if (!asked("system")) name += (name.empty() ? "" : " ") + cell.cell.system;
    // Tokens and samples are different units, so they have a table each.
    if (request.metric == "throughput" && asked("workload")) name += cell.tokens ? " (tokens)" : " (samples)";
    auto page = std::find_if(out.begin(), out.end(), [&](const PivotPage& one) { return one.name == name; });
    if (page == out.end()) page = out.insert(out.end(), {name, {}});
    page->cells.push_back(&cell);
  });
  return out;
}

PivotGrid pivot_grid(const Cells& cells, const PivotRequest& request) {
  for (const char* more :
       {"", "fabric", "strategy", "strategy fabric", "workload", "workload fabric", "system strategy"}) {
    if (const auto grid = grid_with(cells, request, more)) return *grid;
  }
  return *grid_with(cells, request, "workload system strategy fabric");
}

}  // namespace lockstep::report
