#pragma once

#include <filesystem>
#include <string>

#include "adapters/contract/job.h"
#include "workloads/data/workload.h"

namespace lockstep::launch {

/// Files that launches share, content-addressed in one folder: initial parameters, data, order of samples, and the
/// checkpoint that the launch goes on from.
struct Arrays {
  std::filesystem::path init, data, order;
  contract::Checkpoints checkpoints = {};  ///< `resume` as the others: not relative to a run folder
};

/// Writes those that are not there yet. Failure "data_missing" names the package; "setup" when the disk refuses.
Arrays write_arrays(const workloads::Workload& workload, const std::filesystem::path& shared, int64_t data_ranks);

}  // namespace lockstep::launch
