#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reference_trainer/plan/text/fabric_text.h"
#include "reference_trainer/plan/text/strategy.h"
#include "reference_trainer/plan/text/system_text.h"
#include "reference_trainer/plan/text/workload_text.h"

namespace lockstep::text {

/// workload " " system " " strategy [ " on " fabric ]: the identity of a cell in the store, in labels and in tests.
/// One rank needs no fabric, so its cell has none. Several ranks without a fabric are legal text: who plans the cell
/// fills in the system's usual fabric.
struct Cell {
  WorkloadText workload;
  SystemText system;
  Strategy strategy;
  std::optional<FabricText> fabric;
  bool operator==(const Cell&) const = default;
};

/// Puts the parts together by the rule above.
Cell make_cell(WorkloadText workload, SystemText system, Strategy strategy, std::optional<FabricText> fabric);

Cell parse_cell(std::string_view text);
std::string print(const Cell& cell);

}  // namespace lockstep::text
