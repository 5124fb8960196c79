#include "results/report/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "adapters/contract/plural.h"
#include "results/report/cell_words.h"
#include "results/report/environments.h"
#include "results/report/figures.h"
#include "results/snapshot/efficiency.h"

namespace lockstep::report {
namespace {

constexpr size_t kHeaderWidth = 100;

using snapshot::CampaignSnapshot;
using snapshot::CellSnapshot;

std::string machine_line(store::Store& store, const CampaignSnapshot& s) {
  const Environments all = environments_of(store, s);
  std::string line = all.machines.empty() ? "machine not known" : *all.machines.begin();
  if (all.machines.size() > 1) line += fmt::format(" and {} other machines", all.machines.size() - 1);
  for (const std::string& version : all.torch) line += "; " + version;
  return line;
}

struct Method {
  std::set<int64_t> n, threads;
  std::set<std::string> levels;
  bool copies = false, ranks = false, commands = false;
};

Method method_of(const CampaignSnapshot& s) {
  Method method;
  each_cell(s, [&](const CellSnapshot& cell) {
    if (cell.counts.finished > 0) method.n.insert(cell.counts.finished);
    if (cell.throughput.level > 0) method.levels.insert(percent(cell.throughput.level));
    method.copies |= cell.is_copies;
    method.ranks |= cell.cell.ranks > 1;
    method.commands |= snapshot::is_command(cell.cell);
  });
  return method;
}

std::string method_lines(const CampaignSnapshot& s) {
  const Method m = method_of(s);
  if (m.n.empty()) return "";
  const int64_t low = *m.n.begin(), high = *m.n.rbegin();
  const std::string n = low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  std::string lines = fmt::format("{}n = {} launches a cell, interleaved in {}\n",
                                  m.ranks ? "strong scaling, global batch fixed; " : "", n, plural(s.blocks, "block"));
  if (!m.levels.empty()) {
    lines += fmt::format("[..] {}{} interval over launches", *m.levels.begin(),
                         m.levels.size() > 1 ? " to " + *m.levels.rbegin() : "");
    if (m.ranks) lines += "; efficiency: against the system's own serial cell";
    lines += "\n";
    if (m.copies) lines += "of copies: against the same ranks at once on fabric null, without communication\n";
  }
  return lines +
         fmt::format("MiB: {}; sent: kB (1000 B) per rank and step, counted (~ modelled)\n", memory_words(m.commands));
}

}  // namespace

std::string counts_line(const CampaignSnapshot& s) {
  int64_t cells = 0, skipped = 0;
  each_cell(s, [&](const CellSnapshot& cell) {
    ++cells;
    skipped += cell.counts.skipped > 0 && cell.counts.finished == 0;
  });
  const double seconds = static_cast<double>(s.campaign.ended_utc_ns - s.campaign.started_utc_ns) * 1e-9;
  const std::string time = s.campaign.ended_utc_ns > 0 ? " in " + duration_text(seconds) : ", still running";
  const int64_t launches = s.counts.finished + s.counts.failed;
  std::string line = fmt::format("{}: campaign @{}, {}{}: {} finished, {} failed", s.campaign.suite, s.campaign.number,
                                 plural(launches, "launch", "launches"), time, s.counts.finished, s.counts.failed);
  if (s.counts.interrupted > 0) line += fmt::format(", {} interrupted", s.counts.interrupted);
  return line + fmt::format("; {} of {} cells skipped", skipped, cells);
}

int64_t never_started(const CampaignSnapshot& s) {
  const bool over = s.campaign.status != store::CampaignStatus::running;
  if (!over || !s.filter.terms.empty()) return 0;
  return s.counts.planned + std::max<int64_t>(0, s.campaign.planned_launches - s.counts.total());
}

std::string never_started_line(const CampaignSnapshot& s) {
  const int64_t left = never_started(s);
  if (left == 0) return "";
  return fmt::format("{} of {} launches {} never started: lockstep run --resume @{} goes on", left,
                     std::max(s.campaign.planned_launches, s.counts.total()), left == 1 ? "was" : "were",
                     s.campaign.number);
}

std::string header(store::Store& store, const CampaignSnapshot& snapshot) {
  const std::string left = never_started_line(snapshot);
  return cut(counts_line(snapshot), kHeaderWidth) + "\n" + (left.empty() ? "" : left + "\n") +
         cut(machine_line(store, snapshot), kHeaderWidth) + "\n" + method_lines(snapshot);
}

}  // namespace lockstep::report
