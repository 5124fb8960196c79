#pragma once

#include <string>

#include "results/snapshot/snapshot.h"

namespace lockstep::gui {

/// The cell that a person has pinned as base, as far as the shown workload has it.
class PinnedBase {
 public:
  PinnedBase() = default;
  /// `text`: of the pinned cell; empty: none is.
  PinnedBase(const snapshot::WorkloadGroup& group, const std::string& text);

  /// Null: efficiencies and ideal lines are by each system's own serial cell.
  const snapshot::CellSnapshot* cell() const { return cell_; }
  /// Why the pinned cell is no base here; empty where it is, or none is pinned.
  const std::string& why_not() const { return why_not_; }

  /// (throughput / ranks of the cell) / (throughput / ranks of the base), with its interval over launches; 1 for the
  /// base. Needs cell().
  stats::Estimate efficiency(const snapshot::CellSnapshot& cell) const;

 private:
  const snapshot::CellSnapshot* cell_ = nullptr;
  std::string why_not_;
};

}  // namespace lockstep::gui
