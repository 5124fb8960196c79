#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/run/folders.h"
#include "harness/run/launcher.h"
#include "harness/run/plan.h"
#include "harness/run/progress.h"
#include "harness/run/signals.h"
#include "results/store/store.h"

/// What all campaigns have in common, whatever their launches are.
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

/// A cell whose equal work was to be proved and is not.
struct Unproved {
  std::string cell;
  bool failed = false;  ///< the proof; else there is none
  std::string why;
};

struct Outcome {
  int64_t campaign = 0, finished = 0, failed = 0, skipped = 0;
  std::vector<Unproved> unproved;
  bool interrupted = false;

  bool proof_failed() const;
};

/// The row of a campaign that begins now, but for its suite.
store::CampaignRow campaign_row(const Settings& settings, const std::string& host,
                                const std::vector<PlannedLaunch>& planned);

/// {"commit", "changed"} of the git repository that a folder lies in; {} where it does not.
std::string git_json(const std::filesystem::path& folder);

/// Nothing may disturb a campaign: ends what killed launches had left, and waits for others as long as the settings
/// say, or until a signal comes.
void clear_the_machine(const Settings& settings, int64_t processors, Signals& signals);

/// Takes launches that ended while no harness was there into the store; returns those that were not in it yet.
std::vector<store::LaunchRecord> adopt_finished(store::Store& store, const CampaignFolder& folder);

/// A launch that was run to its end and stored.
struct Performed {
  store::LaunchRecord record;
  bool unequal = false;  ///< the cell's proof of equal work failed: no figure of the launch can be compared
};

/// The tick is LaunchContext's.
using Perform = std::function<Performed(const PlannedLaunch&, Signals&, const Tick&)>;

Progress progress_of(const std::vector<PlannedLaunch>& todo, const Settings& settings);

/// Performs one launch, counts it, and prints its line of progress. False: interrupted.
bool conduct_one(const PlannedLaunch& planned, const Perform& perform, Progress& progress, Signals& signals,
                 Outcome& outcome);

/// Performs `todo` in its order, until the end or an interruption, which the outcome says. `signals` has to live until
/// the campaign has ended in the store.
void conduct(const std::vector<PlannedLaunch>& todo, const Perform& perform, const Settings& settings, Signals& signals,
             Outcome& outcome);

/// Ends the campaign in the store.
void end_campaign(store::Store& store, const store::CampaignRow& campaign, const Outcome& outcome);

}  // namespace lockstep::run
