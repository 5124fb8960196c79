#pragma once

#include <vector>

#include "results/snapshot/snapshot.h"

namespace lockstep::snapshot {

/// A figure of each launch of a cell, in their order.
std::vector<double> column(const CellSnapshot& cell, double LaunchFigures::*figure);

/// A figure of the launches of two cells, for a ratio. Where launches of both stand in the same block they are paired,
/// the i-th of a block with the i-th, and launches without a partner are left out; without any common block all of both
/// are taken, unpaired.
struct Samples {
  std::vector<double> a, b;
  bool paired = false;
};

/// Of one campaign, or of two that took turns (`take_turns`). Blocks of others have only their numbers in common.
Samples samples(const CellSnapshot& a, const CellSnapshot& b, double LaunchFigures::*figure, bool in_blocks = true);

/// Whether the launches of two campaigns' cells took turns: block by block in time, never all of one first.
bool take_turns(const CellSnapshot& a, const CellSnapshot& b);

/// a / b of speeds by Hodges and Lehmann.
stats::Estimate ratio_of(const Samples& samples, double level);

}  // namespace lockstep::snapshot
