#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "harness/launch/adapter.h"
#include "harness/places/places.h"
#include "harness/run/plan.h"
#include "harness/run/signals.h"
#include "harness/suite/cells.h"
#include "harness/supervisor/order.h"
#include "results/store/rows.h"

namespace lockstep::run {

using Tick = std::function<void(double)>;

/// What every launch of a campaign shares.
struct LaunchContext {
  Tick tick;  ///< told about ten times a second for how many seconds the launch has run
  places::Places places;
  std::filesystem::path runs, store_folder;
  double patience = 1;
  int64_t warmup = 20, threads = 0, processors = 1;
  store::CampaignRow campaign;
  std::string git_json = "{}";
};

/// The row of a launch before it starts, whatever it is a launch of.
store::LaunchRecord begun(const LaunchContext& context, const PlannedLaunch& planned, const store::CellRow& cell,
                          const std::string& environment_json);

/// The same for a cell of a suite.
store::LaunchRecord prepared(const LaunchContext& context, const PlannedLaunch& planned, const suite::PlannedCell& cell,
                             const std::string& environment_json);

/// Writes what is known of a launch that is never started, with its status and error, so that an import elsewhere has
/// its row. Where that fails, the error message says so.
void keep_unstarted(store::LaunchRecord& record, const std::filesystem::path& folder);

/// Writes everything that a launch of a suite's cell needs into its folder and says what is to be started.
supervisor::Order prepare(const LaunchContext& context, const PlannedLaunch& planned, const suite::PlannedCell& cell,
                          const launch::Adapter& adapter, store::LaunchRecord& record,
                          const std::filesystem::path& folder);

/// Completes the record, writes the folder's files, launch.json among them, and says what is to be started.
using Prepare = std::function<supervisor::Order(store::LaunchRecord&, const std::filesystem::path&)>;

/// Makes the run folder anew, prepares it, starts the launch under its supervisor, waits, and collects. Expected
/// failures become the record's error; an interruption ends the launch and is its status.
store::LaunchRecord launch(const LaunchContext& context, const Prepare& write, store::LaunchRecord record,
                           const std::filesystem::path& folder, Signals& signals);

}  // namespace lockstep::run
