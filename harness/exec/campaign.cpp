#include "harness/exec/campaign.h"

#include <map>

#include "harness/collect/launch_file.h"
#include "harness/environment/machine.h"
#include "harness/run/carry.h"
#include "harness/run/launcher.h"

namespace lockstep::exec {
namespace fs = std::filesystem;
namespace {

constexpr double kStopSeconds = 10;

// The command under `lockstep-supervisor stamp`, which notes when its output came.
supervisor::Order order_of(const Experiment& experiment, const Variant& variant, const run::LaunchContext& context,
                           const std::string& launch_id) {
  std::vector<std::string> arguments{(context.places.bin / "lockstep-supervisor").string(), "stamp",
                                     experiment.directory};
  arguments.insert(arguments.end(), experiment.command.begin(), experiment.command.end());
  // A Python program that writes into a pipe keeps its lines back otherwise, and they would all come late.
  std::map<std::string, std::string> variables{{"PYTHONUNBUFFERED", "1"}};
  for (const auto& [name, value] : variant.variables) variables[name] = value;
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
  supervisor::Order order{launch_id, {}, {}, {}};
  order.commands.push_back({"command", arguments, environment, "stdout.command.log", "stderr.command.log"});
  order.deadlines.stop = kStopSeconds * context.patience;
  order.deadlines.whole = experiment.timeout_s * context.patience;
  order.watch_memory = true;
  return order;
}

suite::PlannedCell planned_cell(const store::CellRow& row) {
  suite::PlannedCell cell;
  cell.text = row.text, cell.workload = row.workload, cell.system = row.system, cell.strategy = row.strategy;
  return cell;
}

/// One invocation at work on one campaign.
class Experimenter {
 public:
  Experimenter(Experiment experiment, const run::Settings& settings, const places::Places& places, store::Store store)
      : experiment_(std::move(experiment)), settings_(settings), store_(std::move(store)) {
    context_.places = places;
    context_.runs = fs::absolute(settings.runs).lexically_normal();
    context_.store_folder = fs::absolute(settings.store).lexically_normal().parent_path();
    context_.patience = settings.patience, context_.processors = machine_.processors;
    context_.git_json = run::git_json(experiment_.directory);
    environment_ = environment::environment_json(machine_, kSystem, "", "");
    for (const Variant& variant : experiment_.variants) cells_[cell_of(experiment_, variant).text] = &variant;
  }

  run::Outcome start() {
    run::make_runs_folder(context_.runs);
    run::clear_the_machine(settings_, machine_.processors, signals_);
    suite::Suite suite;
    suite.id = kSystem, suite.launches = experiment_.launches;
    std::vector<suite::PlannedCell> cells;
    for (const Variant& variant : experiment_.variants) cells.push_back(planned_cell(cell_of(experiment_, variant)));
    const std::vector<run::PlannedLaunch> planned = run::plan(suite, cells, {});
    if (settings_.print) settings_.print(run::carry_text(run::carry_of(cells, suite.launches)) + "\n");
    store::CampaignRow row = run::campaign_row(settings_, machine_.host, planned);
    row.suite = kSystem, row.suite_json = to_json(experiment_);
    context_.campaign = store_.begin_campaign(row);
    return conduct(run::CampaignFolder(context_.runs, context_.campaign), planned);
  }

  run::Outcome resume(const store::CampaignRow& campaign) {
    run::clear_the_machine(settings_, machine_.processors, signals_);
    context_.campaign = campaign;
    const run::CampaignFolder folder(context_.runs, campaign);
    run::adopt_finished(store_, folder);
    store_.resume_campaign(campaign.id);
    const auto known = store_.launches({campaign.id, {}, {}, {}});
    return conduct(folder, run::remaining(run::from_json(campaign.planned_json), known, settings_.again_failed));
  }

 private:
  run::Outcome conduct(const run::CampaignFolder& folder, const std::vector<run::PlannedLaunch>& todo) {
    run::Outcome outcome;
    outcome.campaign = context_.campaign.number;
    const run::Perform perform = [&](const run::PlannedLaunch& planned, run::Signals& signals, const run::Tick& tick) {
      context_.tick = tick;
      return run::Performed{one(planned, folder.launch(planned.number), signals)};
    };
    run::conduct(todo, perform, settings_, signals_, outcome);
    run::end_campaign(store_, context_.campaign, outcome);
    return outcome;
  }

  store::LaunchRecord one(const run::PlannedLaunch& planned, const fs::path& folder, run::Signals& signals) {
    const Variant& variant = *cells_.at(planned.cell);
    store::LaunchRecord record = run::begun(context_, planned, cell_of(experiment_, variant), environment_);
    record.launch.status = store::LaunchStatus::running;
    store_.import_launch(record);
    const run::Prepare write = [&](store::LaunchRecord& row, const fs::path& in) {
      collect::write_launch_file(in, row);
      return order_of(experiment_, variant, context_, planned.id);
    };
    record = run::launch(context_, write, record, folder, signals);
    store_.import_launch(record);
    return record;
  }

  run::Signals signals_;  ///< from the start to the campaign's end in the store
  Experiment experiment_;
  run::Settings settings_;
  store::Store store_;
  environment::Machine machine_ = environment::read_machine();
  run::LaunchContext context_;
  std::string environment_;
  std::map<std::string, const Variant*> cells_;  ///< by text
};

}  // namespace

run::Outcome start(const Experiment& experiment, const run::Settings& settings, const places::Places& places) {
  Experimenter experimenter(experiment, settings, places,
                            store::Store::open(settings.store.string(), store::OpenMode::create));
  return experimenter.start();
}

run::Outcome resume(store::Store store, const store::CampaignRow& campaign, const run::Settings& settings,
                    const places::Places& places) {
  Experimenter experimenter(from_json(campaign.suite_json), settings, places, std::move(store));
  return experimenter.resume(campaign);
}

}  // namespace lockstep::exec
