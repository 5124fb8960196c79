#include "harness/run/conduct.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/collect/collect.h"
#include "harness/environment/contention.h"
#include "harness/environment/machine.h"
#include "harness/environment/version.h"
#include "harness/launch/capture.h"
#include "harness/launch/leftovers.h"
#include "results/json/writer.h"
#include "results/report/figures.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::run {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
namespace {

constexpr double kLeftoverSeconds = 5;

void count(const store::LaunchRecord& record, Outcome& outcome) {
  outcome.finished += record.launch.status == store::LaunchStatus::finished;
  outcome.failed += record.launch.status == store::LaunchStatus::failed;
  outcome.skipped += record.launch.status == store::LaunchStatus::skipped;
}

}  // namespace

bool Outcome::proof_failed() const {
  return std::any_of(unproved.begin(), unproved.end(), [](const Unproved& one) { return one.failed; });
}

store::CampaignRow campaign_row(const Settings& settings, const std::string& host,
                                const std::vector<PlannedLaunch>& planned) {
  store::CampaignRow row;
  row.command_line = settings.command_line;
  row.planned_json = to_json(planned), row.planned_launches = static_cast<int64_t>(planned.size());
  row.host = host, row.user = environment::user_name(), row.version = environment::version();
  return row;
}

std::string git_json(const fs::path& folder) {
  const auto commit = launch::capture({"git", "-C", folder.string(), "rev-parse", "HEAD"}, 10);
  if (commit.code != 0) return "{}";
  const auto changes = launch::capture({"git", "-C", folder.string(), "status", "--porcelain", "-uno"}, 20);
  json::Writer out;
  out.open_object().member("commit", commit.out.substr(0, commit.out.find('\n')));
  return out.member("changed", changes.code != 0 || !changes.out.empty()).close().text();
}

void clear_the_machine(const Settings& settings, int64_t processors, Signals& signals) {
  const auto say = [&](const std::string& line) {
    if (settings.print) settings.print(line + "\n");
  };
  launch::wait_for_orphaned_supervisors(60);
  const auto ended = launch::end_leftovers(kLeftoverSeconds);
  if (!ended.empty()) say(fmt::format("ended {} processes that a killed launch had left", ended.size()));
  if (settings.wait_idle_s <= 0) return;
  say("waiting for others to leave the machine alone");
  const auto stop = [&] { return signals.interrupted(); };
  if (environment::wait_until_idle(settings.wait_idle_s, processors, stop) == environment::Idle::busy) {
    say(fmt::format("still busy after {}; disturbed launches are marked", report::duration_text(settings.wait_idle_s)));
  }
}

std::vector<store::LaunchRecord> adopt_finished(store::Store& store, const CampaignFolder& folder) {
  std::vector<store::LaunchRecord> adopted;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder.path(), none)) {
    if (!entry.is_directory() || !collect::is_complete(entry.path())) continue;
    store::LaunchRecord record = collect::collect(entry.path());
    if (store.import_launch(record)) adopted.push_back(std::move(record));
  }
  return adopted;
}

Progress progress_of(const std::vector<PlannedLaunch>& todo, const Settings& settings) {
  return {todo, settings.print ? settings.print : [](const std::string&) {}, settings.terminal, settings.width};
}

bool conduct_one(const PlannedLaunch& planned, const Perform& perform, Progress& progress, Signals& signals,
                 Outcome& outcome) {
  if (signals.interrupted()) return false;
  progress.begin(planned);
  const auto begin = Clock::now();
  const Performed done = perform(planned, signals, [&](double seconds) { progress.still(planned, seconds); });
  const store::LaunchRecord& record = done.record;
  count(record, outcome);
  if (record.launch.status == store::LaunchStatus::interrupted) return false;
  progress.end(planned, record, done.unequal, snapshot::figures(record.launch, record.series, record.processes),
               std::chrono::duration<double>(Clock::now() - begin).count());
  return true;
}

void conduct(const std::vector<PlannedLaunch>& todo, const Perform& perform, const Settings& settings, Signals& signals,
             Outcome& outcome) {
  Progress progress = progress_of(todo, settings);
  for (const PlannedLaunch& planned : todo) {
    if (!conduct_one(planned, perform, progress, signals, outcome)) break;
  }
  progress.clear();
  outcome.interrupted = signals.interrupted();
}

void end_campaign(store::Store& store, const store::CampaignRow& campaign, const Outcome& outcome) {
  store.end_campaign(campaign.id,
                     outcome.interrupted ? store::CampaignStatus::interrupted : store::CampaignStatus::finished,
                     store::now_utc_ns());
}

}  // namespace lockstep::run
