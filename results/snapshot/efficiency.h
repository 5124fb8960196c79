#pragma once

#include "results/snapshot/snapshot.h"

namespace lockstep::snapshot {

bool is_serial(const store::CellRow& cell);
/// On fabric null: no communication.
bool is_copies(const store::CellRow& cell);
/// Of `lockstep exec`: its strategies are variants, "A:VAR=x" and "B:VAR=y", in whatever order they first ran.
bool is_command(const store::CellRow& cell);

/// The serial cell of the same system in this group, or null.
const CellSnapshot* serial_of(const WorkloadGroup& group, const store::CellRow& cell);

/// Sets against_serial and against_copies of every cell of the group.
void add_efficiencies(WorkloadGroup& group, double level);

}  // namespace lockstep::snapshot
