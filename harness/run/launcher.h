#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "harness/launch/adapter.h"
#include "harness/places/places.h"
#include "harness/run/plan.h"
#include "harness/run/signals.h"
#include "harness/suite/cells.h"
#include "results/store/rows.h"

namespace lockstep::run {

/// What every launch of a campaign shares.
struct LaunchContext {
  std::function<void(double)> tick;  ///< told about ten times a second for how many seconds the launch has run
  places::Places places;
  std::filesystem::path runs, store_folder;
  double patience = 1;
  int64_t warmup = 20, threads = 0, processors = 1;
  store::CampaignRow campaign;
  std::string git_json = "{}";
};

/// The row of a launch before it starts.
store::LaunchRecord prepared(const LaunchContext& context, const PlannedLaunch& launch, const suite::PlannedCell& cell,
                             const std::string& environment_json);

/// Prepares the run folder, starts the launch under its supervisor, waits, and collects. Expected failures become the
/// record's error; an interruption ends the launch and is its status.
store::LaunchRecord launch(const LaunchContext& context, const PlannedLaunch& planned, const suite::PlannedCell& cell,
                           const launch::Adapter& adapter, store::LaunchRecord record,
                           const std::filesystem::path& folder, Signals& signals);

}  // namespace lockstep::run
