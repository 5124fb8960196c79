#pragma once

#include <string>

#include "reference_trainer/graph/build.h"
#include "workloads/data/workload.h"

namespace lockstep::plan {

/// The forward graph of a shipped workload's micro preset.
inline graph::Graph workload_graph(const std::string& id) {
  return graph::build(workloads::resolve(LOCKSTEP_SOURCE_DIR "/workloads", id, "micro", {}).json());
}

inline const char* const kWorkloads[] = {"mlp-digits", "mlp-fashion", "cnn-fashion", "gpt-austen", "lstm-austen"};

}  // namespace lockstep::plan
