#include "harness/run/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>

#include "adapters/contract/failure.h"
#include "harness/collect/collect.h"
#include "harness/environment/contention.h"
#include "harness/environment/machine.h"
#include "harness/environment/version.h"
#include "harness/json/writer.h"
#include "harness/launch/adapter.h"
#include "harness/launch/capture.h"
#include "harness/launch/leftovers.h"
#include "harness/run/carry.h"
#include "harness/run/folders.h"
#include "harness/run/launcher.h"
#include "harness/run/progress.h"
#include "harness/run/signals.h"
#include "harness/suite/suite_text.h"
#include "harness/verify/prove.h"
#include "reference_trainer/plan/text/cell_text.h"
#include "results/snapshot/selector.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::run {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
namespace {

constexpr double kLeftoverSeconds = 5;

// The commit of the workload files, where they lie in a git repository.
std::string git_json(const fs::path& home) {
  const auto commit = launch::capture({"git", "-C", home.string(), "rev-parse", "HEAD"}, 10);
  if (commit.code != 0) return "{}";
  const auto changes = launch::capture({"git", "-C", home.string(), "status", "--porcelain", "-uno"}, 20);
  json::Writer out;
  out.open_object().member("commit", commit.out.substr(0, commit.out.find('\n')));
  return out.member("changed", changes.code != 0 || !changes.out.empty()).close().text();
}

/// One invocation at work on one campaign.
class Runner {
 public:
  /// Reads and checks everything; the store is opened by start or given to resume.
  Runner(suite::Suite suite, const Settings& settings, const places::Places& places)
      : suite_(std::move(suite)),
        settings_(settings),
        catalogue_(places.workloads, contract::read_manifests(places.adapters)),
        machine_(environment::read_machine()) {
    context_.places = places;
    context_.runs = fs::absolute(settings.runs).lexically_normal();
    context_.store_folder = fs::absolute(settings.store).lexically_normal().parent_path();
    context_.patience = settings.patience;
    context_.warmup = suite_.warmup, context_.threads = suite_.threads, context_.processors = machine_.processors;
    context_.git_json = git_json(places.home);
    cells_ = suite::expand(suite_, catalogue_);
    filter_cells();
    for (suite::PlannedCell& cell : cells_) find_adapter(cell);
    for (const suite::PlannedCell& cell : cells_) by_text_.emplace(cell.text, cell);
  }

  /// Begins a campaign; the launches that it needs.
  std::vector<PlannedLaunch> begin() {
    store_ = store::Store::open(settings_.store.string(), store::OpenMode::create);
    clear_the_machine();
    std::vector<std::string> verify;
    if (settings_.verify) verify = verify::missing_proofs(*store_, cells_, environments_, settings_.verify_again);
    std::vector<PlannedLaunch> planned = plan(suite_, cells_, verify);
    if (settings_.verify_only)
      std::erase_if(planned,
                    [&](const auto& p) { return p.mode != store::LaunchMode::verify && !by_text_.at(p.cell).refused; });
    store::CampaignRow row;
    row.suite = suite_.id, row.suite_json = suite::suite_text(suite_), row.command_line = settings_.command_line;
    row.planned_json = to_json(planned), row.planned_launches = static_cast<int64_t>(planned.size());
    row.host = machine_.host, row.user = environment::user_name(), row.version = environment::version();
    context_.campaign = store_->begin_campaign(row);
    folder_.emplace(context_.runs, context_.campaign);
    if (!settings_.verify_only && !suite_.converge) say(carry_text(carry_of(cells_, suite_.launches)));
    return planned;
  }

  /// Goes on with one; what is left of it.
  std::vector<PlannedLaunch> resume(store::Store store, const store::CampaignRow& campaign) {
    store_ = std::move(store);
    clear_the_machine();
    context_.campaign = campaign;
    folder_.emplace(context_.runs, campaign);  // nobody else is at it
    adopt_finished(*folder_);
    store_->resume_campaign(campaign.id);
    const auto known = store_->launches({campaign.id, {}, {}, {}});
    return remaining(from_json(campaign.planned_json), known, settings_.again_failed);
  }

  /// False: interrupted.
  bool launch_one(const PlannedLaunch& planned, Progress& progress, Signals& signals) {
    if (signals.interrupted()) return false;
    progress.begin(planned);
    context_.tick = [&](double seconds) { progress.still(planned, seconds); };
    const auto begin = Clock::now();
    const store::LaunchRecord record = one(*folder_, planned, signals);
    count(record, outcome_);
    if (record.launch.status == store::LaunchStatus::interrupted) return false;
    progress.end(planned, record, snapshot::figures(record.launch, record.series, record.processes),
                 std::chrono::duration<double>(Clock::now() - begin).count());
    return true;
  }

  Outcome end(bool interrupted) {
    outcome_.campaign = context_.campaign.number;
    outcome_.interrupted = interrupted;
    outcome_.proofs_failed = failed_proofs();
    store_->end_campaign(context_.campaign.id,
                         interrupted ? store::CampaignStatus::interrupted : store::CampaignStatus::finished,
                         store::now_utc_ns());
    return outcome_;
  }

  Progress progress(const std::vector<PlannedLaunch>& todo) const {
    return {todo, settings_.print ? settings_.print : [](const std::string&) {}, settings_.terminal, settings_.width};
  }

 private:
  void filter_cells() {
    if (!settings_.only.empty()) {
      std::erase_if(cells_, [&](const suite::PlannedCell& c) {
        return std::find(settings_.only.begin(), settings_.only.end(), c.text) == settings_.only.end();
      });
    }
    if (settings_.filter.empty()) return;
    const snapshot::Filter filter = snapshot::parse_filter(settings_.filter);
    std::erase_if(cells_, [&](const suite::PlannedCell& c) {
      return !snapshot::matches(filter, {c.text, c.workload, c.system, c.strategy, c.fabric, c.ranks, "{}", "{}"});
    });
    if (cells_.empty()) refuse({"", "", settings_.filter, "no cell is left", "lockstep run --dry-run lists all"});
  }

  // Probes each system once; a cell whose system is not there is refused with the reason.
  void find_adapter(suite::PlannedCell& cell) {
    if (cell.refused) return;
    const auto& adapter = adapter_of(cell.system);
    if (!adapter.missing.empty()) cell.refused = suite::Reason{"unsupported", adapter.missing};
  }

  const launch::Adapter& adapter_of(const std::string& system) {
    const auto known = adapters_.find(system);
    if (known != adapters_.end()) return known->second;
    const text::SystemText parsed = text::parse_system(system);
    const std::string* environment = parsed.find("env");
    const contract::Manifest* manifest = catalogue_.manifest(parsed.id);
    if (manifest == nullptr) throw Failure("usage", parsed.id + ": no adapter of that name");
    launch::Adapter adapter =
        launch::find_adapter(*manifest, context_.places, environment != nullptr ? *environment : "");
    environments_[system] = environment::environment_json(machine_, system, adapter.probe_json);
    return adapters_.emplace(system, std::move(adapter)).first->second;
  }

  void say(const std::string& line) {
    if (settings_.print) settings_.print(line + "\n");
  }

  // Nothing of an earlier campaign may disturb this one.
  void clear_the_machine() {
    launch::wait_for_orphaned_supervisors(60);
    const auto ended = launch::end_leftovers(kLeftoverSeconds);
    if (!ended.empty()) say(fmt::format("ended {} processes that a killed launch had left", ended.size()));
    if (settings_.wait_idle_s <= 0) return;
    say("waiting for others to leave the machine alone");
    if (!environment::wait_until_idle(settings_.wait_idle_s, machine_.processors)) {
      say(fmt::format("still busy after {}; disturbed launches are marked", duration_text(settings_.wait_idle_s)));
    }
  }

  // Launches that ended while no harness was there to import them.
  void adopt_finished(const CampaignFolder& folder) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder.path(), none)) {
      if (!entry.is_directory() || !collect::is_complete(entry.path())) continue;
      store::LaunchRecord record = collect::collect(entry.path());
      if (store_->import_launch(record) && record.launch.mode == store::LaunchMode::verify) prove(record);
    }
  }

  store::LaunchRecord one(const CampaignFolder& folder, const PlannedLaunch& planned, Signals& signals) {
    const suite::PlannedCell& cell = cell_of(planned.cell);
    store::LaunchRecord record = prepared(context_, planned, cell, environments_[cell.system]);
    if (cell.refused) {
      record.launch.status = store::LaunchStatus::skipped;
      record.launch.error_kind = cell.refused->kind, record.launch.error_message = cell.refused->message;
      record.environment = {};
    } else {
      record.launch.status = store::LaunchStatus::running;
      store_->import_launch(record);
      record = launch(context_, planned, cell, adapter_of(cell.system), record, folder.launch(planned.number), signals);
    }
    store_->import_launch(record);
    if (planned.mode == store::LaunchMode::verify) prove(record);
    return record;
  }

  // Reference cells that only serve a proof are not cells of the suite.
  const suite::PlannedCell& cell_of(const std::string& text) {
    const auto known = by_text_.find(text);
    if (known != by_text_.end()) return known->second;
    const text::Cell parsed = text::parse_cell(text);
    suite::PlannedCell cell =
        catalogue_.cell(text::print(parsed.workload), text::print(parsed.system), text::print(parsed.strategy),
                        parsed.fabric ? text::print(*parsed.fabric) : "");
    find_adapter(cell);
    return by_text_.emplace(text, cell).first->second;
  }

  void prove(const store::LaunchRecord& record) {
    if (record.launch.status != store::LaunchStatus::finished) return;
    const auto row = store_->launch(record.launch.id);
    if (!row) return;
    const store::ProofRow proof = verify::prove(*store_, cell_of(record.launch.cell), *row);
    if (proof.state != store::ProofState::failed) return;
    say(fmt::format("equal work FAILED: {}: {}", record.launch.cell, proof.reason));
  }

  // Cells of the suite whose proof failed, now or earlier in this environment.
  int64_t failed_proofs() {
    int64_t failed = 0;
    for (const suite::PlannedCell& cell : cells_) {
      if (!settings_.verify || !verify::has_proof(cell)) continue;
      const auto proof = verify::known_proof(*store_, cell.text, environments_[cell.system]);
      failed += proof && proof->state == store::ProofState::failed;
    }
    return failed;
  }

  static void count(const store::LaunchRecord& record, Outcome& outcome) {
    outcome.finished += record.launch.status == store::LaunchStatus::finished;
    outcome.failed += record.launch.status == store::LaunchStatus::failed;
    outcome.skipped += record.launch.status == store::LaunchStatus::skipped;
  }

  std::optional<store::Store> store_;
  std::optional<CampaignFolder> folder_;
  Outcome outcome_;
  suite::Suite suite_;
  Settings settings_;
  suite::Catalogue catalogue_;
  environment::Machine machine_;
  LaunchContext context_;
  std::vector<suite::PlannedCell> cells_;
  std::map<std::string, suite::PlannedCell> by_text_;
  std::map<std::string, launch::Adapter> adapters_;  ///< by system text
  std::map<std::string, std::string> environments_;  ///< JSON, by system text
};

Outcome run_all(Runner& runner, const std::vector<PlannedLaunch>& todo, Signals& signals) {
  Progress progress = runner.progress(todo);
  for (const PlannedLaunch& planned : todo) {
    if (!runner.launch_one(planned, progress, signals)) break;
  }
  progress.clear();
  return runner.end(signals.interrupted());
}

/// A launch of one of two campaigns.
struct Turn {
  Runner* runner;
  PlannedLaunch launch;
};

/// Proofs first, each side its own; then the timed launches, which both sides plan in the same order, in pairs of the
/// same cell: AB, BA, AB, ... (ABBA), so that a drift of the machine meets both sides alike.
std::vector<Turn> turns(Runner& a, const std::vector<PlannedLaunch>& of_a, Runner& b,
                        const std::vector<PlannedLaunch>& of_b) {
  std::vector<Turn> out, timed_a, timed_b;
  const auto part = [&](Runner& runner, const std::vector<PlannedLaunch>& launches, std::vector<Turn>& timed) {
    for (const PlannedLaunch& launch : launches) {
      (launch.mode == store::LaunchMode::verify ? out : timed).push_back({&runner, launch});
    }
  };
  part(a, of_a, timed_a), part(b, of_b, timed_b);
  for (size_t i = 0; i < std::max(timed_a.size(), timed_b.size()); ++i) {
    std::vector<Turn> pair;
    if (i < timed_a.size()) pair.push_back(timed_a[i]);
    if (i < timed_b.size()) pair.push_back(timed_b[i]);
    if (pair[0].launch.block % 2 == 1) std::reverse(pair.begin(), pair.end());
    out.insert(out.end(), pair.begin(), pair.end());
  }
  return out;
}

}  // namespace

Outcome start(const suite::Suite& suite, const Settings& settings, const places::Places& places) {
  Signals signals;  // before the probes: what comes while they run ends the campaign before its first launch
  Runner runner(suite, settings, places);
  return run_all(runner, runner.begin(), signals);
}

Outcome resume(store::Store store, const store::CampaignRow& campaign, const Settings& settings,
               const places::Places& places) {
  const std::string name = fmt::format("suite of @{}", campaign.number);
  Signals signals;
  Runner runner(suite::parse_suite(campaign.suite_json, name), settings, places);
  return run_all(runner, runner.resume(std::move(store), campaign), signals);
}

std::pair<Outcome, Outcome> take_turns(const suite::Suite& suite, const Settings& settings, const places::Places& a,
                                       const places::Places& b) {
  Signals signals;
  Runner first(suite, settings, a), second(suite, settings, b);
  const std::vector<PlannedLaunch> of_a = first.begin(), of_b = second.begin();
  const std::vector<Turn> all = turns(first, of_a, second, of_b);
  std::vector<PlannedLaunch> todo;
  for (const Turn& turn : all) todo.push_back(turn.launch);
  Progress progress = second.progress(todo);
  for (const Turn& turn : all) {
    if (!turn.runner->launch_one(turn.launch, progress, signals)) break;
  }
  progress.clear();
  return {first.end(signals.interrupted()), second.end(signals.interrupted())};
}

}  // namespace lockstep::run
