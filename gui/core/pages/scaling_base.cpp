#include "gui/core/pages/scaling_base.h"

#include "results/snapshot/pairing.h"

namespace lockstep::gui {

namespace {
constexpr double kEfficiencyLevel = 0.95;
}

PinnedBase::PinnedBase(const snapshot::WorkloadGroup& group, const std::string& text) {
  if (text.empty()) return;
  for (const snapshot::CellSnapshot& cell : group.cells) {
    if (cell.cell.text == text) cell_ = &cell;
  }
  const char* instead = "; here the base is each system's own serial cell.";
  if (cell_ == nullptr) {
    why_not_ = "The pinned base is not of this workload and campaign: " + text + instead;
  } else if (cell_->launches.empty() || !cell_->throughput.ok()) {
    cell_ = nullptr, why_not_ = "The pinned base has no finished launch: " + text + instead;
  }
}

stats::Estimate PinnedBase::efficiency(const snapshot::CellSnapshot& cell) const {
  if (&cell == cell_) return {.value = 1, .n = cell.throughput.n};
  const snapshot::Samples both = snapshot::samples(cell, *cell_, &snapshot::LaunchFigures::samples_per_s);
  return stats::scaled(snapshot::ratio_of(both, kEfficiencyLevel),
                       static_cast<double>(cell_->cell.ranks) / static_cast<double>(cell.cell.ranks));
}

}  // namespace lockstep::gui
