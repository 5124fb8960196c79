#include "results/snapshot/efficiency.h"

#include <fmt/format.h>

#include "results/snapshot/pairing.h"
#include "results/snapshot/workload_text.h"

namespace lockstep::snapshot {

namespace {

const CellSnapshot* copies_of(const WorkloadGroup& group, const store::CellRow& cell) {
  for (const CellSnapshot& other : group.cells) {
    const bool same = other.cell.system == cell.system && other.cell.strategy == cell.strategy;
    if (same && is_copies(other.cell)) return &other;
  }
  return nullptr;
}

Efficiency without(std::string why_not) {
  Efficiency out;
  out.estimate.refusal = stats::Refusal::no_values;
  out.why_not = std::move(why_not);
  return out;
}

// Speed against the base's, times `factor` = ranks of the base / ranks: strong and weak scaling alike, since speeds
// count samples.
Efficiency against(const CellSnapshot& cell, const CellSnapshot& base, double factor, double level) {
  if (cell.launches.empty()) return without("no finished launch");
  if (base.launches.empty()) return without(fmt::format("no finished launch of {}", base.cell.text));
  const Samples both = samples(cell, base, &LaunchFigures::samples_per_s);
  Efficiency out;
  out.base = base.cell.text;
  out.paired = both.paired;
  out.estimate = stats::scaled(ratio_of(both, level), factor);
  out.why_not = stats::to_text(out.estimate.refusal);
  return out;
}

Efficiency against_serial(const WorkloadGroup& group, const CellSnapshot& cell, double level) {
  if (cell.is_base) return without("it is the base");
  const CellSnapshot* base = serial_of(group, cell.cell);
  if (base == nullptr) return without(fmt::format("no serial cell of {}", cell.cell.system));
  return against(cell, *base, 1.0 / static_cast<double>(cell.cell.ranks), level);
}

Efficiency against_copies(const WorkloadGroup& group, const CellSnapshot& cell, double level) {
  if (cell.cell.ranks == 1) return without("one rank");
  if (cell.is_copies) return without("it is the copies");
  const CellSnapshot* copies = copies_of(group, cell.cell);
  return copies == nullptr ? without("not run") : against(cell, *copies, 1, level);
}

}  // namespace

bool is_serial(const store::CellRow& cell) { return cell.strategy == "serial"; }

bool is_copies(const store::CellRow& cell) { return id_of(cell.fabric) == "null"; }

bool is_command(const store::CellRow& cell) { return cell.system == "exec"; }

const CellSnapshot* serial_of(const WorkloadGroup& group, const store::CellRow& cell) {
  for (const CellSnapshot& other : group.cells) {
    if (is_serial(other.cell) && other.cell.system == cell.system) return &other;
  }
  return nullptr;
}

void add_efficiencies(WorkloadGroup& group, double level) {
  for (CellSnapshot& cell : group.cells) {
    cell.against_serial = against_serial(group, cell, level);
    cell.against_copies = against_copies(group, cell, level);
  }
}

}  // namespace lockstep::snapshot
