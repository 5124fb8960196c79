#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "adapters/contract/event_reader.h"
#include "harness/supervisor/order.h"
#include "results/store/rows.h"

namespace lockstep::collect {

/// How a launch ended.
struct Outcome {
  store::LaunchStatus status = store::LaunchStatus::finished;
  std::string kind, message;  ///< empty when finished
};

/// Judges by what is known, the first that applies: no supervisor's report, interrupted, not started, an answer of
/// unsupported, a worker's own error (the first that is not about a lost peer), a deadline, a signal, a bad exit code,
/// events that do not fit the job. Pure.
Outcome judge(const std::optional<supervisor::Report>& report, const contract::RunEvents& run,
              const std::vector<contract::EventProblem>& problems);

/// The last `lines` lines of a file; empty when it is not there.
std::string last_lines(const std::filesystem::path& file, int lines);

}  // namespace lockstep::collect
