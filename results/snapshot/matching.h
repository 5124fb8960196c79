#pragma once

#include <string>
#include <vector>

#include "results/snapshot/snapshot.h"

namespace lockstep::snapshot {

/// A cell of each side that belong together. Null: that side lacks the cell.
struct CellPair {
  const CellSnapshot* a = nullptr;
  const CellSnapshot* b = nullptr;
};

std::vector<const CellSnapshot*> cells_of(const CampaignSnapshot& snapshot);

/// Pairs of cells with equal text, then the cells that only one side has.
std::vector<CellPair> equal_cells(const CampaignSnapshot& a, const CampaignSnapshot& b);

/// For sides without a common text: cells with the same workload and strategy, else the same workload and system, else
/// the same workload. Fabric null takes no part.
std::vector<CellPair> related_cells(const CampaignSnapshot& a, const CampaignSnapshot& b);

/// Failure "usage" where two sides (their names, and the texts of their cells) have no cell in common.
void require_common_cell(const std::string& a, const std::vector<std::string>& cells_a, const std::string& b,
                         const std::vector<std::string>& cells_b);

}  // namespace lockstep::snapshot
