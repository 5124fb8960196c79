#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/places/places.h"
#include "harness/run/plan.h"
#include "harness/suite/cells.h"
#include "harness/suite/suite.h"
#include "results/store/store.h"

namespace lockstep::run {

struct Settings {
  std::filesystem::path store = "lockstep.db", runs = "lockstep-runs";
  double patience = 1;     ///< factor on every deadline
  double wait_idle_s = 0;  ///< how long to wait for others to leave the machine alone before the first launch
  bool verify = true;
  bool verify_only = false;       ///< nothing is timed
  bool verify_again = false;      ///< even what the store has a proof of
  bool again_failed = false;      ///< when resuming
  std::string filter;             ///< cells that are run; empty: all
  std::vector<std::string> only;  ///< texts of the cells that are run; empty: all
  std::string command_line;
  std::function<void(const std::string&)> print;  ///< progress, to stderr
  bool terminal = false;
  int width = 100;
};

struct Outcome {
  int64_t campaign = 0, finished = 0, failed = 0, skipped = 0, proofs_failed = 0;
  bool interrupted = false;
};

/// Runs a suite as a new campaign of the store.
Outcome start(const suite::Suite& suite, const Settings& settings, const places::Places& places);

/// Goes on with a campaign: launches that never ran, were interrupted, or - when asked - failed.
Outcome resume(store::Store store, const store::CampaignRow& campaign, const Settings& settings,
               const places::Places& places);

/// Runs the suite's cells with two builds (`Places::workers`) that take turns launch by launch, a campaign each; blocks
/// of equal number are pairs.
std::pair<Outcome, Outcome> take_turns(const suite::Suite& suite, const Settings& settings, const places::Places& a,
                                       const places::Places& b);

}  // namespace lockstep::run
