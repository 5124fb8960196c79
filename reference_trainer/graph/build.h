#pragma once

#include <string_view>

#include "reference_trainer/graph/graph.h"

namespace lockstep::graph {

/// The forward graph of a resolved workload (its "inputs" and "graph" entries, docs/workloads.md). Throws
/// Failure("usage") that names the op, the value and the rule; unknown keys are refused with the nearest known one.
Graph build(std::string_view resolved_workload_json);

}  // namespace lockstep::graph
