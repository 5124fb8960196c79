#pragma once

#include <vector>

#include "results/snapshot/snapshot.h"

namespace lockstep::snapshot {

/// Speeds (samples/s) of two cells for a ratio. Where launches of both stand in the same block they are paired, the
/// i-th of a block with the i-th, and launches without a partner are left out; without any common block all of both
/// are taken, unpaired.
struct Samples {
  std::vector<double> a, b;
  bool paired = false;
};

Samples speeds(const CellSnapshot& a, const CellSnapshot& b);

/// a / b of those speeds by Hodges and Lehmann.
stats::Estimate speed_ratio(const Samples& samples, double level);

}  // namespace lockstep::snapshot
