// From the rows of a campaign to what a report shows of it.
#include "results/snapshot/snapshot.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "results/snapshot/assemble.h"
#include "results/snapshot/efficiency.h"
#include "results/snapshot/pairing.h"
#include "results/snapshot/workload_group.h"
#include "results/snapshot/workload_text.h"
#include "results/stats/median.h"

namespace lockstep::snapshot {

namespace {

using Launches = std::vector<store::LaunchRow>;

void count(StatusCounts& counts, store::LaunchStatus status) {
  switch (status) {
    case store::LaunchStatus::planned:
      ++counts.planned;
      break;
    case store::LaunchStatus::running:
      ++counts.running;
      break;
    case store::LaunchStatus::finished:
      ++counts.finished;
      break;
    case store::LaunchStatus::failed:
      ++counts.failed;
      break;
    case store::LaunchStatus::skipped:
      ++counts.skipped;
      break;
    case store::LaunchStatus::interrupted:
      ++counts.interrupted;
      break;
  }
}

bool is_timed(const store::LaunchRow& launch) { return launch.mode == store::LaunchMode::time; }

bool has_reason(store::LaunchStatus status) {
  return status == store::LaunchStatus::failed || status == store::LaunchStatus::skipped ||
         status == store::LaunchStatus::interrupted;
}

std::vector<Reason> reasons_of(const Launches& launches) {
  std::map<std::tuple<store::LaunchStatus, std::string, std::string>, Reason> found;
  for (const store::LaunchRow& launch : launches) {
    if (!has_reason(launch.status)) continue;
    Reason& reason = found[{launch.status, launch.error_kind, launch.error_message}];
    if (reason.count++ == 0) reason = {launch.status, launch.error_kind, launch.error_message, 1, launch.number};
  }
  std::vector<Reason> out;
  for (auto& [key, reason] : found) out.push_back(std::move(reason));
  std::stable_sort(out.begin(), out.end(), [](const Reason& a, const Reason& b) { return a.count > b.count; });
  return out;
}

// The launches of mode time: counts, marks, and the figures of those that finished.
void read_launches(store::Store& store, const Launches& launches, CellSnapshot& out) {
  std::set<std::string> marks;
  for (const store::LaunchRow& launch : launches) {
    if (!is_timed(launch)) continue;
    count(out.counts, launch.status);
    marks.insert(launch.marks.begin(), launch.marks.end());
    if (launch.status != store::LaunchStatus::finished) continue;
    const std::vector<store::SeriesRow> series = store.series(launch.id);
    for (const store::SeriesRow& row : series) out.bytes_modelled |= row.name == "bytes_sent" && row.unit == "~B";
    if (out.loss_curve.points.empty()) out.loss_curve = loss_curve(launch, series);
    out.launches.push_back(figures(launch, series, store.processes(launch.id)));
  }
  std::stable_sort(out.launches.begin(), out.launches.end(), [](const LaunchFigures& a, const LaunchFigures& b) {
    return std::pair(a.block, a.number) < std::pair(b.block, b.number);
  });
  out.marks.assign(marks.begin(), marks.end());
}

void read_quality(store::Store& store, const Launches& launches, double level, CellSnapshot& out) {
  out.quality.target = target_of(out.cell);
  if (!out.quality.target) return;
  for (const store::LaunchRow& launch : launches) {
    if (launch.mode != store::LaunchMode::converge || launch.status != store::LaunchStatus::finished) continue;
    const auto evaluations =
        evaluated(store.evaluations(launch.id), store.series(launch.id), out.quality.target->metric);
    const auto quality = quality_of(launch, *out.quality.target, evaluations);
    if (quality) out.quality.launches.push_back(*quality);
  }
  estimate(out.quality, level);
}

void estimate(CellSnapshot& cell, double level) {
  const auto has_tokens = [](const LaunchFigures& launch) { return launch.tokens_per_s > 0; };
  cell.tokens = !cell.launches.empty() && std::all_of(cell.launches.begin(), cell.launches.end(), has_tokens);
  const auto counts_steps = [](const LaunchFigures& launch) { return launch.counts_steps; };
  cell.counts_steps = !cell.launches.empty() && std::all_of(cell.launches.begin(), cell.launches.end(), counts_steps);
  const auto speed = cell.tokens ? &LaunchFigures::tokens_per_s : &LaunchFigures::samples_per_s;
  cell.throughput = stats::median(column(cell, speed), level);
  cell.step_s = stats::median(column(cell, &LaunchFigures::step_s), level);
  cell.peak_memory_bytes = stats::median(column(cell, &LaunchFigures::peak_memory_bytes), level);
  cell.bytes_sent = median_of(column(cell, &LaunchFigures::bytes_sent));
  cell.messages = median_of(column(cell, &LaunchFigures::messages));
  cell.first_loss = median_of(column(cell, &LaunchFigures::first_loss));
  cell.last_loss = median_of(column(cell, &LaunchFigures::last_loss));
}

// What speaks most against the numbers comes first.
int severity(store::ProofState state) {
  return state == store::ProofState::failed ? 2 : state == store::ProofState::none ? 1 : 0;
}

// The proof in each environment that the launches ran in; the worst of them stands for the cell.
void add_proof(store::Store& store, const Launches& launches, CellSnapshot& out) {
  if (out.cell.system == "reference" && is_serial(out.cell)) out.proof = store::ProofState::reference;
  std::set<std::string> environments;
  for (const store::LaunchRow& launch : launches) {
    if (launch.status == store::LaunchStatus::finished) environments.insert(launch.environment);
  }
  bool first = true;
  for (const std::string& environment : environments) {
    const std::vector<store::ProofRow> proofs = store.proofs(out.cell.text, environment);
    if (proofs.empty() && out.proof == store::ProofState::reference) continue;
    const store::ProofState state = proofs.empty() ? store::ProofState::none : proofs.front().state;
    if (first || severity(state) > severity(out.proof)) {
      out.proof = state;
      out.proof_reason = proofs.empty() ? "no proof in this environment" : proofs.front().reason;
    }
    first = false;
  }
}

/// `launches`: of modes time and converge.
CellSnapshot read_cell(store::Store& store, const store::CellRow& cell, const Launches& launches, double level) {
  CellSnapshot out;
  out.cell = cell;
  out.workload_id = id_of(cell.workload);
  out.preset = preset_of(cell.workload);
  out.is_base = is_serial(cell);
  out.is_copies = is_copies(cell);
  read_launches(store, launches, out);
  read_quality(store, launches, level, out);
  out.reasons = reasons_of(launches);
  estimate(out, level);
  add_proof(store, launches, out);
  return out;
}

WorkloadGroup& group_of(CampaignSnapshot& snapshot, const std::string& workload) {
  for (WorkloadGroup& group : snapshot.groups) {
    if (group.workload == workload) return group;
  }
  snapshot.groups.emplace_back().workload = workload;
  return snapshot.groups.back();
}

// Bases are needed for efficiencies even where the filter leaves them out, so cells are dropped last.
void drop_filtered(CampaignSnapshot& snapshot) {
  for (WorkloadGroup& group : snapshot.groups) {
    std::erase_if(group.cells, [&](const CellSnapshot& cell) { return !matches(snapshot.filter, cell.cell); });
  }
  std::erase_if(snapshot.groups, [](const WorkloadGroup& group) { return group.cells.empty(); });
}

void count_launches(CampaignSnapshot& out, const std::vector<store::CellRow>& cells, const Launches& launches) {
  std::set<std::string> kept, environments;
  for (const store::CellRow& cell : cells) {
    if (matches(out.filter, cell)) kept.insert(cell.text);
  }
  std::set<int64_t> blocks;
  for (const store::LaunchRow& launch : launches) {
    if (!kept.contains(launch.cell)) continue;
    count(out.counts, launch.status);
    if (launch.mode == store::LaunchMode::time) blocks.insert(launch.block);
    if (!launch.environment.empty()) environments.insert(launch.environment);
  }
  out.blocks = static_cast<int64_t>(blocks.size());
  out.environments.assign(environments.begin(), environments.end());
}

}  // namespace

CampaignSnapshot load(store::Store& store, const store::CampaignRow& campaign, const Filter& filter, double level) {
  return assemble(store, campaign, store.cells(campaign.id), store.launches({campaign.id, {}, {}, {}}), filter, level);
}

CampaignSnapshot assemble(store::Store& store, const store::CampaignRow& campaign,
                          const std::vector<store::CellRow>& cells, Launches launches, const Filter& filter,
                          double level) {
  CampaignSnapshot out;
  out.campaign = campaign;
  out.filter = filter;
  std::erase_if(launches, [&](const store::LaunchRow& launch) { return !matches(filter, launch); });
  std::map<std::string, Launches> by_cell;
  for (const store::LaunchRow& launch : launches) {
    if (is_timed(launch) || launch.mode == store::LaunchMode::converge) by_cell[launch.cell].push_back(launch);
  }
  for (const store::CellRow& cell : cells) {
    WorkloadGroup& group = group_of(out, cell.workload);
    const Launches& its = by_cell[cell.text];
    group.cells.push_back(read_cell(store, cell, its, level));
    const auto first = std::find_if(its.begin(), its.end(), is_timed);
    if (group.steps == 0 && first != its.end())
      std::tie(group.steps, group.warmup) = std::pair(first->steps, first->warmup);
  }
  for (WorkloadGroup& group : out.groups) {
    add_efficiencies(group, level);
    summarize(group);
  }
  drop_filtered(out);
  count_launches(out, cells, launches);
  return out;
}

}  // namespace lockstep::snapshot
