#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "profiler/activity/activity.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::report {

/// The files of a launch's timelines, as its artifacts name them; `store_file` is what run folders are relative to.
std::vector<std::filesystem::path> trace_files_of(store::Store& store, const std::filesystem::path& store_file,
                                                  const store::LaunchRow& launch);
/// What they hold.
/// Throws Failure("usage") where a file is missing or no trace.
std::vector<activity::Trace> traces_of(store::Store& store, const std::filesystem::path& store_file,
                                       const store::LaunchRow& launch);

/// By cell, the first finished launch of mode profile.
std::map<std::string, store::LaunchRow> recorded_launches(store::Store& store,
                                                          const snapshot::CampaignSnapshot& snapshot);
/// Of its traces; where they cannot be read it says why not.
snapshot::Breakdown breakdown_of(store::Store& store, const std::filesystem::path& store_file,
                                 const store::LaunchRow& launch);

/// Sets the breakdown of every cell that has a finished launch of mode profile: of the first one.
void add_breakdowns(store::Store& store, const std::filesystem::path& store_file, snapshot::CampaignSnapshot& snapshot);

}  // namespace lockstep::report
