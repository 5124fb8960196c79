#pragma once

#include <filesystem>
#include <string>

#include "workloads/data/workload.h"

namespace lockstep::launch {

/// Files that launches share, content-addressed in one folder: initial parameters, data, order of samples.
struct Arrays {
  std::filesystem::path init, data, order;
};

/// Writes those that are not there yet. Failure "data_missing" names the package; "setup" when the disk refuses.
Arrays write_arrays(const workloads::Workload& workload, const std::filesystem::path& shared, int64_t data_ranks);

}  // namespace lockstep::launch
