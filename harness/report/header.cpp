#include "harness/report/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/environment/machine.h"
#include "harness/report/figures.h"
#include "harness/run/progress.h"

namespace lockstep::report {
namespace {

constexpr size_t kHeaderWidth = 100;

using snapshot::CampaignSnapshot;
using snapshot::CellSnapshot;

template <class Visit>
void each_cell(const CampaignSnapshot& snapshot, Visit visit) {
  for (const snapshot::WorkloadGroup& group : snapshot.groups) {
    for (const CellSnapshot& cell : group.cells) visit(cell);
  }
}

std::string first_line(const CampaignSnapshot& s) {
  int64_t cells = 0, skipped = 0;
  each_cell(s, [&](const CellSnapshot& cell) {
    ++cells;
    skipped += cell.counts.skipped > 0 && cell.counts.finished == 0;
  });
  const double seconds = static_cast<double>(s.campaign.ended_utc_ns - s.campaign.started_utc_ns) * 1e-9;
  const std::string time = s.campaign.ended_utc_ns > 0 ? " in " + run::duration_text(seconds) : ", still running";
  std::string line =
      fmt::format("{}: campaign @{}, {} launches{}: {} finished, {} failed", s.campaign.suite, s.campaign.number,
                  s.counts.finished + s.counts.failed, time, s.counts.finished, s.counts.failed);
  if (s.counts.interrupted > 0) line += fmt::format(", {} interrupted", s.counts.interrupted);
  return line + fmt::format("; {} of {} cells skipped", skipped, cells);
}

// One line for the machine; versions of every system that ran.
std::string machine_line(store::Store& store, const CampaignSnapshot& s) {
  std::set<std::string> machines, versions;
  for (const std::string& hash : s.environments) {
    const auto row = store.environment(hash);
    const nlohmann::json document = row ? nlohmann::json::parse(row->json, nullptr, false) : nlohmann::json();
    if (!document.is_object()) continue;
    if (document.contains("machine")) {
      const nlohmann::json& m = document["machine"];
      environment::Machine machine;
      machine.processors = m.value("processors", 1), machine.cores = m.value("cores", 1);
      machine.cpu = m.value("cpu", "?"), machine.gpu = m.value("gpu", "");
      machines.insert(environment::describe(machine));
    }
    const nlohmann::json v = document.value("versions", nlohmann::json::object());
    if (v.contains("torch") && v["torch"].is_string()) {
      versions.insert(fmt::format("torch {} ({})", v["torch"].get<std::string>(), v.value("blas", "?")));
    }
  }
  std::string line = machines.empty() ? "machine not known" : *machines.begin();
  if (machines.size() > 1) line += fmt::format(" and {} other machines", machines.size() - 1);
  for (const std::string& version : versions) line += "; " + version;
  return line;
}

struct Method {
  std::set<int64_t> n, threads;
  std::set<std::string> levels;
  bool copies = false, ranks = false;
};

Method method_of(const CampaignSnapshot& s) {
  Method method;
  each_cell(s, [&](const CellSnapshot& cell) {
    if (cell.counts.finished > 0) method.n.insert(cell.counts.finished);
    if (cell.throughput.level > 0) method.levels.insert(percent(cell.throughput.level));
    method.copies |= cell.is_copies;
    method.ranks |= cell.cell.ranks > 1;
  });
  return method;
}

std::string method_lines(const CampaignSnapshot& s) {
  const Method m = method_of(s);
  if (m.n.empty()) return "";
  const int64_t low = *m.n.begin(), high = *m.n.rbegin();
  const std::string n = low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  std::string lines =
      fmt::format("{}n = {} launches a cell, interleaved in {} block{}\n",
                  m.ranks ? "strong scaling, global batch fixed; " : "", n, s.blocks, s.blocks == 1 ? "" : "s");
  if (!m.levels.empty()) {
    lines += fmt::format("[..] {}{} interval over launches", *m.levels.begin(),
                         m.levels.size() > 1 ? " to " + *m.levels.rbegin() : "");
    if (m.ranks) lines += "; efficiency: against the system's own serial cell";
    lines += "\n";
    if (m.copies) lines += "of copies: against the same ranks at once on fabric null, without communication\n";
  }
  return lines + "MiB: peak PSS of all processes; sent: kB (1000 B) per rank and step, counted (~ modelled)\n";
}

}  // namespace

std::string header(store::Store& store, const CampaignSnapshot& snapshot) {
  return cut(first_line(snapshot), kHeaderWidth) + "\n" + cut(machine_line(store, snapshot), kHeaderWidth) + "\n" +
         method_lines(snapshot);
}

}  // namespace lockstep::report
