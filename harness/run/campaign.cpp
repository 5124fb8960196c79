#include "harness/run/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "adapters/contract/failure.h"
#include "harness/environment/machine.h"
#include "harness/launch/adapter.h"
#include "harness/run/carry.h"
#include "harness/run/launcher.h"
#include "harness/suite/suite_text.h"
#include "harness/verify/prove.h"
#include "reference_trainer/plan/text/cell_text.h"

namespace lockstep::run {
namespace fs = std::filesystem;
namespace {

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
  std::vector<PlannedLaunch> begin(Signals& signals) {
    make_runs_folder(context_.runs);
    store_ = store::Store::open(settings_.store.string(), store::OpenMode::create);
    record_systems();
    clear_the_machine(settings_, machine_.processors, signals);
    std::vector<std::string> verify;
    if (settings_.verify) verify = verify::missing_proofs(*store_, cells_, environments_, settings_.verify_again);
    std::vector<PlannedLaunch> planned = plan(suite_, cells_, verify);
    if (settings_.verify_only)
      std::erase_if(planned,
                    [&](const auto& p) { return p.mode != store::LaunchMode::verify && !by_text_.at(p.cell).refused; });
    store::CampaignRow row = campaign_row(settings_, machine_.host, planned);
    row.suite = suite_.id, row.suite_json = suite::suite_text(suite_);
    context_.campaign = store_->begin_campaign(row);
    folder_.emplace(context_.runs, context_.campaign);
    if (!settings_.verify_only && !suite_.converge) say(carry_text(carry_of(cells_, suite_.launches)));
    return planned;
  }

  /// Goes on with one; what is left of it.
  std::vector<PlannedLaunch> resume(store::Store store, const store::CampaignRow& campaign, Signals& signals) {
    store_ = std::move(store);
    record_systems();
    clear_the_machine(settings_, machine_.processors, signals);
    context_.campaign = campaign;
    folder_.emplace(context_.runs, campaign);  // nobody else is at it
    for (const store::LaunchRecord& record : adopt_finished(*store_, *folder_)) prove(record);
    store_->resume_campaign(campaign.id);
    const auto known = store_->launches({campaign.id, {}, {}, {}});
    return remaining(from_json(campaign.planned_json), known, settings_.again_failed);
  }

  Perform perform() {
    return [this](const PlannedLaunch& planned, Signals& signals, const Tick& tick) {
      context_.tick = tick;
      Performed done{one(planned, signals)};
      done.unequal = proof_failed(cell_of(planned.cell));
      return done;
    };
  }

  Outcome end() {
    outcome_.campaign = context_.campaign.number;
    outcome_.unproved = unproved();
    end_campaign(*store_, context_.campaign, outcome_);
    return outcome_;
  }

  Outcome& outcome() { return outcome_; }
  const Settings& settings() const { return settings_; }

 private:
  void filter_cells() {
    if (!settings_.only.empty()) {
      std::erase_if(cells_, [&](const suite::PlannedCell& c) {
        return std::find(settings_.only.begin(), settings_.only.end(), c.text) == settings_.only.end();
      });
    }
    suite::keep_matching(cells_, settings_.filter);
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
    environments_[system] =
        environment::environment_json(machine_, system, adapter.probe_json, launch::code_of(adapter));
    const launch::Adapter& kept = adapters_.emplace(system, std::move(adapter)).first->second;
    if (store_) record_system(kept);
    return kept;
  }

  // What a system claims is asked of the store later, where nobody has its adapter.
  void record_system(const launch::Adapter& adapter) {
    if (adapter.missing.empty()) store_->record_system(launch::system_row(adapter));
  }
  void record_systems() {
    for (const auto& [system, adapter] : adapters_) record_system(adapter);
  }

  void say(const std::string& line) {
    if (settings_.print) settings_.print(line + "\n");
  }

  store::LaunchRecord one(const PlannedLaunch& planned, Signals& signals) {
    const suite::PlannedCell& cell = cell_of(planned.cell);
    store::LaunchRecord record = prepared(context_, planned, cell, environments_[cell.system]);
    if (cell.refused) {
      record.launch.status = store::LaunchStatus::skipped;
      record.launch.error_kind = cell.refused->kind, record.launch.error_message = cell.refused->message;
      record.environment = {};
      keep_unstarted(record, folder_->launch(planned.number));
    } else {
      record.launch.status = store::LaunchStatus::running;
      store_->import_launch(record);
      const Prepare write = [&](store::LaunchRecord& row, const fs::path& folder) {
        return prepare(context_, planned, cell, adapter_of(cell.system), row, folder);
      };
      record = launch(context_, write, record, folder_->launch(planned.number), signals);
    }
    store_->import_launch(record);
    prove(record);
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

  // Judges a launch that was made for a proof.
  void prove(const store::LaunchRecord& record) {
    if (record.launch.mode != store::LaunchMode::verify) return;
    if (record.launch.status != store::LaunchStatus::finished) return;
    const auto row = store_->launch(record.launch.id);
    if (!row) return;
    const store::ProofRow proof = verify::prove(*store_, cell_of(record.launch.cell), *row);
    if (proof.state != store::ProofState::failed) return;
    say(fmt::format("equal work FAILED: {}: {}", record.launch.cell, proof.reason));
  }

  bool proof_failed(const suite::PlannedCell& cell) {
    const auto proof = verify::known_proof(*store_, cell.text, environments_[cell.system]);
    return proof && proof->state == store::ProofState::failed;
  }

  // Cells of the suite whose proof failed, now or earlier in this environment, or could not be made.
  std::vector<Unproved> unproved() {
    std::vector<Unproved> out;
    for (const suite::PlannedCell& cell : cells_) {
      if (!settings_.verify || !verify::has_proof(cell)) continue;
      const auto proof = verify::known_proof(*store_, cell.text, environments_[cell.system]);
      if (!proof) out.push_back({cell.text, false, why_not_proved(cell)});
      if (proof && proof->state == store::ProofState::failed) out.push_back({cell.text, true, proof->reason});
    }
    return out;
  }

  // The launch that was to prove it, or the reference's, did not finish.
  std::string why_not_proved(const suite::PlannedCell& cell) {
    for (const std::string& text : {cell.text, verify::reference_cell(cell)}) {
      for (const store::LaunchRow& row :
           store_->launches({context_.campaign.id, text, store::LaunchMode::verify, std::nullopt})) {
        if (row.status == store::LaunchStatus::finished) continue;
        return fmt::format("launch {}: {} {}", row.number, row.error_kind, row.error_message);
      }
    }
    return "no finished launch of " + verify::reference_cell(cell);
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
  conduct(todo, runner.perform(), runner.settings(), signals, runner.outcome());
  return runner.end();
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
  return run_all(runner, runner.begin(signals), signals);
}

Outcome resume(store::Store store, const store::CampaignRow& campaign, const Settings& settings,
               const places::Places& places) {
  const std::string name = fmt::format("suite of @{}", campaign.number);
  Signals signals;
  Runner runner(suite::parse_suite(campaign.suite_json, name), settings, places);
  return run_all(runner, runner.resume(std::move(store), campaign, signals), signals);
}

std::pair<Outcome, Outcome> take_turns(const suite::Suite& suite, const Settings& settings, const places::Places& a,
                                       const places::Places& b) {
  Signals signals;
  Runner first(suite, settings, a), second(suite, settings, b);
  const std::vector<PlannedLaunch> of_a = first.begin(signals), of_b = second.begin(signals);
  const std::vector<Turn> all = turns(first, of_a, second, of_b);
  std::vector<PlannedLaunch> todo;
  for (const Turn& turn : all) todo.push_back(turn.launch);
  Progress progress = progress_of(todo, settings);
  for (const Turn& turn : all) {
    if (!conduct_one(turn.launch, turn.runner->perform(), progress, signals, turn.runner->outcome())) break;
  }
  progress.clear();
  first.outcome().interrupted = second.outcome().interrupted = signals.interrupted();
  return {first.end(), second.end()};
}

}  // namespace lockstep::run
