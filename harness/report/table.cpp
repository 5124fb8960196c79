#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/report/figures.h"
#include "harness/report/header.h"
#include "harness/report/render.h"
#include "harness/report/sentences.h"

namespace lockstep::report {
namespace {

using snapshot::CellSnapshot;
using snapshot::WorkloadGroup;
using store::ProofState;

constexpr size_t kWidth = 100;
constexpr int kReasonLines = 3, kSentenceLines = 12;

/// The unit of a workload's throughputs: 1, 1e3 or 1e6 samples or tokens a second.
struct Unit {
  double size = 1;
  std::string name;
};

Unit unit_of(const WorkloadGroup& group) {
  double largest = 0;
  bool tokens = false;
  for (const CellSnapshot& cell : group.cells) {
    if (cell.throughput.ok()) largest = std::max(largest, cell.throughput.value);
    tokens |= cell.tokens;
  }
  const std::string what = tokens ? "tokens/s" : group.counts_steps ? "steps/s" : "samples/s";
  if (largest >= 1e6) return {1e6, "M" + what};
  if (largest >= 1e3) return {1e3, "k" + what};
  return {1, what};
}

// The mean over steps, of which the last of an epoch may be smaller; empty where nobody knows.
std::string batch_text(const WorkloadGroup& group) {
  if (group.counts_steps)
    return group.batch_tokens > 0 ? fmt::format("{:.0f} tokens a step, ", group.batch_tokens) : "";
  if (!(group.batch_tokens > 0)) return fmt::format("{:.0f} samples a step, ", group.batch_samples);
  return fmt::format("{:.0f} x {:.0f} tokens a step, ", group.batch_samples, group.batch_tokens / group.batch_samples);
}

std::string title(const WorkloadGroup& group) {
  std::string line = group.workload;
  if (group.batch_samples > 0) {
    line += "  " + batch_text(group) + fmt::format("{} steps", group.steps);
  }
  if (std::isfinite(group.first_loss) && std::isfinite(group.last_loss) && group.batch_samples > 0) {
    line += fmt::format(", loss {} -> {} nat", number(group.first_loss), number(group.last_loss));
    if (!std::isnan(group.largest_spread)) {
      line += fmt::format(" (spread in a block {:.1g})", group.largest_spread);
    }
  }
  return line;
}

std::string strategy_of(const CellSnapshot& cell) {
  return cell.cell.strategy + (cell.cell.fabric.empty() ? "" : " on " + cell.cell.fabric);
}

std::string efficiency(const snapshot::Efficiency& efficiency) {
  return efficiency.base.empty() ? "-" : with_interval(efficiency.estimate);
}

std::string equal_work(const CellSnapshot& cell) {
  switch (cell.proof) {
    case ProofState::held:
      return "held";
    case ProofState::failed:
      return "FAILED";
    case ProofState::reference:
      return "is the ref.";
    case ProofState::none:
      break;
  }
  return "not run";
}

std::string sent(const CellSnapshot& cell) {
  if (cell.cell.ranks == 1 || std::isnan(cell.bytes_sent)) return "-";
  return (cell.bytes_modelled ? "~" : "") + number(cell.bytes_sent / 1000);
}

std::vector<std::string> row_of(const CellSnapshot& cell, const Unit& unit, bool copies) {
  std::vector<std::string> row{cell.cell.system, strategy_of(cell), with_interval(cell.throughput, unit.size),
                               cell.is_base ? "base" : efficiency(cell.against_serial)};
  if (copies) row.push_back(cell.cell.ranks == 1 ? "-" : efficiency(cell.against_copies));
  const stats::Estimate& memory = cell.peak_memory_bytes;
  row.push_back(memory.ok() && memory.value > 0 ? fmt::format("{:.0f}", memory.value / 1048576) : "-");
  row.push_back(sent(cell));
  row.push_back(equal_work(cell));
  return row;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string name_of(const CellSnapshot& cell) { return cell.cell.system + " " + strategy_of(cell); }

std::string how_many(const snapshot::Reason& reason, const CellSnapshot& cell) {
  if (reason.status == store::LaunchStatus::skipped) return "skipped";
  const char* word = reason.status == store::LaunchStatus::failed ? "FAILED" : store::to_text(reason.status);
  return fmt::format("{} {} of {}", word, reason.count, cell.counts.total());
}

// Why a cell has fewer launches than planned, and the command that shows more.
void add_reasons(std::string& out, const CellSnapshot& cell, int64_t campaign) {
  const std::string name = name_of(cell);
  const auto add = [&](const std::string& text) { out += wrap(name + "  " + text, kWidth, kReasonLines); };
  for (const snapshot::Reason& reason : cell.reasons) {
    add(fmt::format("{}: {}, {}", how_many(reason, cell), reason.kind, first_line(reason.message)));
    if (reason.status == store::LaunchStatus::skipped) continue;
    out += fmt::format("    log: lockstep show @{}.{} --log all -20\n", campaign, reason.launch);
  }
  for (const snapshot::LaunchFigures& launch : cell.launches) {
    if (!launch.problem.empty()) add(fmt::format("@{}.{}: {}", campaign, launch.number, launch.problem));
  }
  if (cell.proof == ProofState::failed) add("equal work FAILED: " + cell.proof_reason);
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
    add_reasons(reasons, cell, campaign);
  }
  return "\n" + wrap(title(group), kWidth, 2) + (any ? columns.text(2) : "") + reasons + marks_text(group);
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
