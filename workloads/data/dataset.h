#pragma once

#include <filesystem>

#include "workloads/data/workload.h"

namespace lockstep::workloads {

/// The workload's samples as one safetensors file in `shared`, named by what it depends on; written once and reused.
/// Arrays: "train.NAME" and "test.NAME", U8, one record a row, no longer than the workload's sample counts need.
/// Sources are looked for under the root $LOCKSTEP_DATA when that is set. Failure("data_missing") names the file, the
/// Debian package and the command that installs it.
std::filesystem::path write_dataset(const Workload& workload, const std::filesystem::path& shared);

}  // namespace lockstep::workloads
