#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "adapters/contract/event_reader.h"
#include "results/store/rows.h"

namespace lockstep::exec {

/// What the log of a launch of a command says, in the words of a worker: the events of one rank.
struct Measured {
  contract::RunEvents run;
  std::vector<contract::EventProblem> problems;  ///< no_steps: why nothing was measured
  int64_t steps = 0, warmup = 0;
  std::vector<std::string> marks;  ///< which lines were read, whose times they are
};

/// Reads the logs of a run folder. A loss that is not finite is the rank's error.
Measured measure(const std::filesystem::path& folder, const store::LaunchRecord& record);

}  // namespace lockstep::exec
