#pragma once

#include "reference_trainer/plan/text/cell_text.h"
#include "reference_trainer/plan/text/scanner.h"

namespace lockstep::text {

// Each form read from the middle of a longer text: stops at the first character that cannot belong to it.
WorkloadText scan_workload(Scanner& in);
SystemText scan_system(Scanner& in);
FabricText scan_fabric(Scanner& in);
Strategy scan_strategy(Scanner& in);

}  // namespace lockstep::text
