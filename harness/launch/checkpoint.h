#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "adapters/contract/job.h"
#include "workloads/data/workload.h"

namespace lockstep::launch {

/// What a system's option `resume` says of a checkpoint: a hash of its content. Throws Failure("usage") where it cannot
/// be read.
std::string name_of_checkpoint(const std::filesystem::path& file);

/// Copies a checkpoint to the files that launches share, under its name, which it returns. Throws Failure: "usage"
/// where it cannot be read, "setup" where it cannot be written.
std::string keep_checkpoint(const std::filesystem::path& file, const std::filesystem::path& shared);

/// The steps that a checkpoint has behind it. Throws Failure("unsupported") where a run of this workload cannot go on
/// from there: another model, optimizer, precision or seed, or no step left. The layout that wrote it is no reason:
/// tensors are whole.
int64_t steps_done(const std::filesystem::path& file, const workloads::Workload& workload);

/// What a system's options ask of a launch; nothing of a proof, which starts from the same weights as the others.
contract::Checkpoints checkpoints_of(const std::string& system, contract::Mode mode,
                                     const workloads::Workload& workload, const std::filesystem::path& shared);

}  // namespace lockstep::launch
