#include "results/snapshot/comparisons.h"

#include <algorithm>

#include "results/snapshot/efficiency.h"
#include "results/snapshot/metrics.h"
#include "results/snapshot/pairing.h"

namespace lockstep::snapshot {

namespace {

using Kind = Comparison::Kind;

struct Pair {
  Kind kind;
  const CellSnapshot *a, *b;
};

bool takes_part(const CellSnapshot& cell) { return !cell.is_copies && !cell.launches.empty(); }

void pair_up(const WorkloadGroup& group, std::vector<Pair>& out) {
  for (const CellSnapshot& cell : group.cells) {
    const CellSnapshot* serial = serial_of(group, cell.cell);
    if (!takes_part(cell)) continue;
    if (!cell.is_base && serial != nullptr && takes_part(*serial)) out.push_back({Kind::ranks, &cell, serial});
    for (const CellSnapshot* later = &cell + 1; later != group.cells.data() + group.cells.size(); ++later) {
      if (!takes_part(*later)) continue;
      const bool same_system = later->cell.system == cell.cell.system;
      const bool same_strategy = later->cell.strategy == cell.cell.strategy;
      if (cell.is_base && later->is_base && !same_system) out.push_back({Kind::systems, &cell, later});
      if (same_system && same_strategy && !cell.is_base) out.push_back({Kind::fabrics, later, &cell});
    }
  }
}

stats::Margin of_speed(const stats::Margin& time, const CellSnapshot& base) {
  const bool known = base.step_s.ok() && base.step_s.value > 0;
  return {known ? std::max(time.relative, time.floor / base.step_s.value) : time.relative, 0};
}

}  // namespace

std::vector<Comparison> comparisons(const CampaignSnapshot& snapshot, double level) {
  const stats::Margin time = metrics(snapshot.campaign)[0].margin;
  std::vector<Comparison> out;
  std::vector<stats::Contrast> family;
  for (const WorkloadGroup& group : snapshot.groups) {
    std::vector<Pair> pairs;
    pair_up(group, pairs);
    for (const Pair& pair : pairs) {
      const Samples both = samples(*pair.a, *pair.b, &LaunchFigures::samples_per_s);
      family.push_back(stats::contrast(both.a, both.b, both.paired, of_speed(time, *pair.b), level));
      out.push_back({pair.kind, group.workload, pair.a->cell, pair.b->cell, {}, ""});
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
