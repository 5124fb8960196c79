#pragma once

#include "results/snapshot/snapshot.h"

namespace lockstep::snapshot {

/// Median of the values; NaN where one is NaN or there is none.
double median_of(const std::vector<double>& values);

/// What the group's heading says: steps, batch, losses, their largest spread in a block. Cells on fabric null do not
/// take part: without communication they train something else.
void summarize(WorkloadGroup& group);

}  // namespace lockstep::snapshot
