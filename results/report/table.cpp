#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "results/report/cell_words.h"
#include "results/report/figures.h"
#include "results/report/formats.h"
#include "results/report/header.h"
#include "results/report/render.h"
#include "results/report/sentences.h"
#include "results/report/tables.h"

namespace lockstep::report {
namespace {

using snapshot::CellSnapshot;
using snapshot::WorkloadGroup;

constexpr size_t kWidth = 100;
constexpr int kReasonLines = 3, kSentenceLines = 12;

std::string efficiency(const snapshot::Efficiency& efficiency) {
  return efficiency.base.empty() ? "-" : with_interval(efficiency.estimate);
}

std::string sent(const CellSnapshot& cell) {
  if (cell.cell.ranks == 1 || std::isnan(cell.bytes_sent)) return "-";
  return (cell.bytes_modelled ? "~" : "") + number(cell.bytes_sent / 1000);
}

std::vector<std::string> row_of(const CellSnapshot& cell, const Unit& unit, bool copies) {
  std::vector<std::string> row{cell.cell.system, strategy_of(cell.cell), with_interval(cell.throughput, unit.size),
                               cell.is_base ? "base" : efficiency(cell.against_serial)};
  if (copies) row.push_back(cell.cell.ranks == 1 ? "-" : efficiency(cell.against_copies));
  const stats::Estimate& memory = cell.peak_memory_bytes;
  row.push_back(memory.ok() && memory.value > 0 ? fmt::format("{:.0f}", memory.value / 1048576) : "-");
  row.push_back(sent(cell));
  row.push_back(equal_work(cell.proof));
  return row;
}

void add_remarks(std::string& out, const CellSnapshot& cell, int64_t campaign) {
  for (const Remark& remark : remarks_of(cell, campaign)) {
    out += wrap(name_of(cell) + "  " + remark.text, kWidth, kReasonLines);
    if (!remark.command.empty()) out += "    log: " + remark.command + "\n";
  }
}

// What must be shown beside numbers: each mark once, with the cells that have it.
std::string marks_text(const WorkloadGroup& group) {
  std::map<std::string, std::vector<std::string>> cells;
  for (const CellSnapshot& cell : group.cells) {
    for (const std::string& mark : cell.marks) cells[mark].push_back(name_of(cell));
  }
  std::string out;
  for (const auto& [mark, names] : cells) {
    const bool all = names.size() == group.cells.size();
    out += wrap(fmt::format("marked {}: {}", mark, all ? "every cell" : fmt::format("{}", fmt::join(names, ", "))),
                kWidth, kReasonLines);
  }
  return out;
}

std::string group_text(const WorkloadGroup& group, int64_t campaign) {
  const Unit unit = unit_of(group);
  const bool copies = std::any_of(group.cells.begin(), group.cells.end(), [](const auto& c) { return c.is_copies; });
  Columns columns;
  std::vector<std::string> names{"system", "strategy", unit.name, "efficiency"};
  if (copies) names.emplace_back("of copies");
  for (const char* name : {"MiB", "sent", "equal work"}) names.emplace_back(name);
  columns.add(names);
  bool any = false;
  std::string reasons;
  for (const CellSnapshot& cell : group.cells) {
    if (cell.counts.finished > 0 && !cell.is_copies) columns.add(row_of(cell, unit, copies)), any = true;
    add_remarks(reasons, cell, campaign);
  }
  const std::optional<Table> quality = quality_table(group);
  return "\n" + wrap(title_of(group), kWidth, 2) + (any ? columns.text(2) : "") + (quality ? terminal(*quality) : "") +
         reasons + marks_text(group);
}

}  // namespace

std::string table(store::Store& store, const snapshot::CampaignSnapshot& snapshot) {
  std::string out = header(store, snapshot);
  for (const WorkloadGroup& group : snapshot.groups) out += group_text(group, snapshot.campaign.number);
  const std::vector<std::string> verdicts = sentences(snapshot, snapshot::comparisons(snapshot));
  if (!verdicts.empty()) out += "\n";
  for (const std::string& verdict : verdicts) out += wrap(verdict, kWidth, kSentenceLines);
  return out;
}

}  // namespace lockstep::report
