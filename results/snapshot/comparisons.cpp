#include "results/snapshot/comparisons.h"

#include "results/snapshot/efficiency.h"
#include "results/snapshot/pairing.h"

namespace lockstep::snapshot {

namespace {

using Kind = Comparison::Kind;

struct Pair {
  Kind kind;
  const CellSnapshot *a, *b;
};

bool takes_part(const CellSnapshot& cell) { return !cell.is_copies && !cell.launches.empty(); }

// A system of `lockstep exec`: its strategies are variants, "A:VAR=x" and "B:VAR=y", in whatever order they first ran.
bool is_command(const CellSnapshot& cell) { return cell.cell.system == "exec"; }

Pair variants(const CellSnapshot& one, const CellSnapshot& other) {
  const bool in_order = one.cell.strategy < other.cell.strategy;
  return {Kind::variants, in_order ? &other : &one, in_order ? &one : &other};
}

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
      if (same_system && is_command(cell)) out.push_back(variants(cell, *later));
    }
  }
}

}  // namespace

std::vector<Comparison> comparisons(const CampaignSnapshot& snapshot, const stats::Margin& margin, double level) {
  std::vector<Comparison> out;
  std::vector<stats::Contrast> family;
  for (const WorkloadGroup& group : snapshot.groups) {
    std::vector<Pair> pairs;
    pair_up(group, pairs);
    for (const Pair& pair : pairs) {
      const Samples samples = speeds(*pair.a, *pair.b);
      family.push_back(stats::contrast(samples.a, samples.b, samples.paired, margin, level));
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
