#include "harness/run/campaign.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "adapters/contract/failure.h"
#include "harness/environment/machine.h"
#include "harness/launch/adapter.h"
#include "harness/run/launcher.h"
#include "harness/suite/suite_text.h"
#include "harness/verify/prove.h"
#include "reference_trainer/plan/text/cell_text.h"
#include "results/snapshot/selector.h"

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

  Outcome start() {
    store_ = store::Store::open(settings_.store.string(), store::OpenMode::create);
    clear_the_machine(settings_);
    std::vector<std::string> verify;
    if (settings_.verify) verify = verify::missing_proofs(*store_, cells_, environments_, settings_.verify_again);
    std::vector<PlannedLaunch> planned = plan(suite_, cells_, verify);
    if (settings_.verify_only)
      std::erase_if(planned,
                    [&](const auto& p) { return p.mode != store::LaunchMode::verify && !by_text_.at(p.cell).refused; });
    store::CampaignRow row = campaign_row(settings_, machine_.host, planned);
    row.suite = suite_.id, row.suite_json = suite::suite_text(suite_);
    context_.campaign = store_->begin_campaign(row);
    return run_in(CampaignFolder(context_.runs, context_.campaign), planned);
  }

  Outcome resume(store::Store store, const store::CampaignRow& campaign) {
    store_ = std::move(store);
    clear_the_machine(settings_);
    context_.campaign = campaign;
    const CampaignFolder folder(context_.runs, campaign);  // nobody else is at it
    for (const store::LaunchRecord& record : adopt_finished(*store_, folder)) prove(record);
    store_->resume_campaign(campaign.id);
    const auto known = store_->launches({campaign.id, {}, {}, {}});
    return run_in(folder, remaining(from_json(campaign.planned_json), known, settings_.again_failed));
  }

 private:
  void filter_cells() {
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

  Outcome run_in(const CampaignFolder& folder, const std::vector<PlannedLaunch>& todo) {
    const Perform perform = [this](const PlannedLaunch& planned, const CampaignFolder& in, Signals& signals) {
      return one(in, planned, signals);
    };
    Outcome outcome = conduct(*store_, context_.campaign, folder, todo, settings_, perform);
    outcome.proofs_failed = failed_proofs();
    return outcome;
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
      const Prepare write = [&](store::LaunchRecord& row, const fs::path& in) {
        return prepare(context_, planned, cell, adapter_of(cell.system), row, in);
      };
      record = launch(context_, write, record, folder.launch(planned.number), signals);
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

  std::optional<store::Store> store_;
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

}  // namespace

Outcome start(const suite::Suite& suite, const Settings& settings, const places::Places& places) {
  Runner runner(suite, settings, places);
  return runner.start();
}

Outcome resume(store::Store store, const store::CampaignRow& campaign, const Settings& settings,
               const places::Places& places) {
  const std::string name = fmt::format("suite of @{}", campaign.number);
  Runner runner(suite::parse_suite(campaign.suite_json, name), settings, places);
  return runner.resume(std::move(store), campaign);
}

}  // namespace lockstep::run
