#include "results/snapshot/comparisons.h"

#include <algorithm>
#include <map>

#include "results/snapshot/efficiency.h"
#include "results/snapshot/metrics.h"
#include "results/snapshot/pairing.h"

namespace lockstep::snapshot {

namespace {

using Kind = Comparison::Kind;

stats::Margin of_speed(const stats::Margin& time, const CellSnapshot& base) {
  const bool known = base.step_s.ok() && base.step_s.value > 0;
  return {known ? std::max(time.relative, time.floor / base.step_s.value) : time.relative, 0};
}

}  // namespace

std::vector<CellsToCompare> to_compare(const std::vector<store::CellRow>& cells) {
  using Text = std::pair<std::string, std::string>;
  std::map<std::string, std::vector<size_t>> serial;                  // by workload
  std::map<std::pair<Text, std::string>, std::vector<size_t>> alike;  // by workload, system and strategy
  std::map<std::string, std::vector<size_t>> variants;                // by workload
  for (size_t i = 0; i < cells.size(); ++i) {
    const store::CellRow& c = cells[i];
    if (is_copies(c)) continue;
    if (is_serial(c)) serial[c.workload].push_back(i);
    if (is_command(c)) variants[c.workload].push_back(i);
    if (!is_serial(c)) alike[{{c.workload, c.system}, c.strategy}].push_back(i);
  }
  std::vector<CellsToCompare> out;
  for (size_t i = 0; i < cells.size(); ++i) {
    const store::CellRow& c = cells[i];
    if (is_copies(c)) continue;
    for (const size_t other : serial[c.workload]) {
      const bool same_system = cells[other].system == c.system;
      if (is_serial(c) && other > i && !same_system) out.push_back({Kind::systems, i, other});
      if (!is_serial(c) && same_system) out.push_back({Kind::ranks, i, other});
    }
    if (is_serial(c)) continue;
    for (const size_t other : alike[{{c.workload, c.system}, c.strategy}]) {
      if (other > i) out.push_back({Kind::fabrics, other, i});
    }
    for (const size_t other : variants[c.workload]) {
      if (is_command(c) && cells[other].strategy < c.strategy) out.push_back({Kind::variants, i, other});
    }
  }
  return out;
}

std::vector<Comparison> comparisons(const CampaignSnapshot& snapshot, double level) {
  const stats::Margin time = metrics(snapshot.campaign)[0].margin;
  std::vector<Comparison> out;
  std::vector<stats::Contrast> family;
  for (const WorkloadGroup& group : snapshot.groups) {
    std::vector<store::CellRow> rows;
    for (const CellSnapshot& cell : group.cells) rows.push_back(cell.cell);
    for (const CellsToCompare& pair : to_compare(rows)) {
      const CellSnapshot &ours = group.cells[pair.a], &theirs = group.cells[pair.b];
      if (ours.launches.empty() || theirs.launches.empty()) continue;
      if (ours.proof == store::ProofState::failed || theirs.proof == store::ProofState::failed) continue;
      const Samples both = samples(ours, theirs, &LaunchFigures::samples_per_s);
      family.push_back(stats::contrast(both.a, both.b, both.paired, of_speed(time, theirs), level));
      out.push_back({pair.kind, group.workload, ours.cell, theirs.cell, {}, ""});
    }
  }
  stats::settle(family);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].contrast = family[i];
    out[i].word = out[i].kind == Kind::ranks ? stats::scaling_word(family[i]) : stats::speed_word(family[i]);
  }
  return out;
}

}  // namespace lockstep::snapshot
