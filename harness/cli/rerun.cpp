#include "harness/cli/commands.h"
#include "harness/cli/result.h"
#include "harness/cli/settings.h"
#include "harness/exec/campaign.h"
#include "results/snapshot/efficiency.h"
#include "results/snapshot/selector.h"

namespace lockstep::cli {

int rerun(const Arguments& arguments, const Context& context) {
  const int64_t launches = arguments.integer("launches", 1, 1, 10'000);
  suite::Suite suite;
  {
    store::Store store = context.open_store();
    const snapshot::LaunchSelector selector = snapshot::parse_launch_selector(arguments.text("LAUNCH"));
    const store::LaunchRow launch = snapshot::resolve(store, selector);
    const store::CellRow cell = *store.cell(launch.cell);
    if (snapshot::is_command(cell)) {
      exec::Experiment experiment = exec::experiment_of(snapshot::resolve(store, selector.campaign), cell);
      experiment.launches = launches;
      return print_outcome(context, exec::start(experiment, run_settings(arguments, context), places::find()));
    }
    suite.id = "rerun", suite.title = "again: " + arguments.text("LAUNCH");
    suite.workloads = {cell.workload};
    suite::Entry entry{{cell.system}, {cell.strategy}, {}, {}};
    if (!cell.fabric.empty()) entry.fabrics = {cell.fabric};
    suite.entries = {entry};
    suite.recipes.emplace_back();
    suite.threads = launch.threads, suite.warmup = launch.warmup;
    suite.converge = launch.mode == store::LaunchMode::converge;
    suite.profile = launch.mode == store::LaunchMode::profile;
  }
  suite.launches = launches;
  run::Settings settings = run_settings(arguments, context);
  settings.verify = !arguments.has("no-verify");
  return print_outcome(context, run::start(suite, settings, places::find()));
}

}  // namespace lockstep::cli
