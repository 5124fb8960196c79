#pragma once

#include <filesystem>
#include <string>

#include "results/store/rows.h"

namespace lockstep::collect {

/// Beside job.json in a run folder: everything of a launch that was known before it started and that no worker needs to
/// know. With it a folder can be imported into any store.
inline constexpr const char* kLaunchFile = "launch.json";

/// Writes campaign, cell, launch, environment and system of `record`. Failure "setup".
void write_launch_file(const std::filesystem::path& folder, const store::LaunchRecord& record);

/// The same with its outcome: of a launch that was never started (skipped, or its set-up failed). Failure "setup".
void write_unstarted_file(const std::filesystem::path& folder, const store::LaunchRecord& record);

/// Failure "usage" when the folder is no run folder.
store::LaunchRecord read_launch_file(const std::filesystem::path& folder);

}  // namespace lockstep::collect
