#include <fmt/format.h>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/cli/result.h"
#include "harness/cli/settings.h"
#include "harness/exec/campaign.h"
#include "harness/launch/checkpoint.h"
#include "harness/run/campaign.h"
#include "harness/run/dry_run.h"
#include "harness/suite/check.h"
#include "harness/suite/suite.h"
#include "reference_trainer/plan/text/system_text.h"
#include "results/json/writer.h"
#include "results/snapshot/selector.h"

namespace lockstep::cli {
namespace {

run::Settings settings_of(const Arguments& arguments, const Context& context) {
  run::Settings settings = run_settings(arguments, context);
  settings.verify = !arguments.has("no-verify");
  settings.again_failed = arguments.has("failed");
  settings.filter = arguments.text("filter");
  return settings;
}

// A suite from -w, -S, -s and -f: one product.
suite::Suite suite_of_cells(const Arguments& arguments) {
  suite::Suite suite;
  suite.id = "cells", suite.title = "cells of the command line";
  suite.workloads = arguments.list("workload");
  suite::Entry entry{arguments.list("system"), arguments.list("strategy"), {}, arguments.list("fabric")};
  if (entry.systems.empty()) entry.systems = {"reference"};
  if (entry.strategies.empty()) entry.strategies = {"serial"};
  suite.entries.push_back(entry);
  suite.recipes.emplace_back();
  return suite;
}

int list_suites(const Context& context) {
  const auto all = suite::list(places::find().suites);
  if (context.json) {
    json::Writer out;
    out.open_object().member("format", "lockstep.suites").member("version", 1).key("suites").open_array();
    for (const suite::Listed& one : all) out.open_object().member("suite", one.id).member("title", one.title).close();
    context.print(out.close().close().text());
    return 0;
  }
  for (const suite::Listed& one : all) context.print(fmt::format("{:<16}{}\n", one.id, one.title));
  context.print("lockstep run SUITE runs one; lockstep run -w WORKLOAD -S SYSTEM -s STRATEGY runs single cells\n");
  return 0;
}

/// The options stand in each system's text: a launch that saves, or goes on from a file, is another cell.
void set_checkpoints(const Arguments& arguments, const Context& context, suite::Suite& suite) {
  std::vector<text::Argument> options;
  if (arguments.has("checkpoint-every")) {
    const int64_t every = arguments.integer("checkpoint-every", 1, 1, 1'000'000'000);
    options.push_back({std::string(suite::kCheckpointEvery), std::to_string(every)});
  }
  if (arguments.has("from-checkpoint")) {
    const std::string file = arguments.text("from-checkpoint");
    if (suite.converge) {
      refuse({"", "--from-checkpoint", file, "times what is left of a run, --converge a whole one",
              "leave one of them out"});
    }
    const std::string name = arguments.has("dry-run") ? launch::name_of_checkpoint(file)
                                                      : launch::keep_checkpoint(file, context.runs / "shared");
    options.push_back({std::string(suite::kResume), name});
  }
  if (options.empty()) return;
  for (suite::Entry& entry : suite.entries) {
    for (std::string& written : entry.systems) {
      text::SystemText system = text::parse_system(written);
      system.options.insert(system.options.end(), options.begin(), options.end());
      written = text::print(text::parse_system(text::print(system)));
    }
  }
}

suite::Suite chosen_suite(const Arguments& arguments, const Context& context, const places::Places& places) {
  const bool by_cells = arguments.has("workload");
  if (by_cells && arguments.has("SUITE")) {
    refuse({"", "SUITE", arguments.text("SUITE"), "either a suite or -w, not both",
            "use --filter to take a part of a suite"});
  }
  suite::Suite suite = by_cells ? suite_of_cells(arguments) : suite::find_suite(arguments.text("SUITE"), places.suites);
  suite.launches = arguments.integer("launches", suite.launches, 1, 10'000);
  if (arguments.has("converge")) suite.converge = true;
  if (arguments.has("profile")) suite.profile = true;
  if (arguments.has("no-profile")) suite.profile = false;
  set_checkpoints(arguments, context, suite);
  return suite;
}

}  // namespace

int run(const Arguments& arguments, const Context& context) {
  const places::Places places = places::find();
  const run::Settings settings = settings_of(arguments, context);
  run::Outcome outcome;
  if (arguments.has("resume")) {
    store::Store store = context.open_store();
    const store::CampaignRow campaign =
        snapshot::resolve(store, snapshot::parse_selector(arguments.text("resume")).campaign);
    outcome = exec::is_experiment(campaign) ? exec::resume(std::move(store), campaign, settings, places)
                                            : run::resume(std::move(store), campaign, settings, places);
  } else if (!arguments.has("SUITE") && !arguments.has("workload")) {
    return list_suites(context);
  } else {
    const suite::Suite suite = chosen_suite(arguments, context, places);
    if (arguments.has("dry-run")) {
      const run::DryRun plan = run::dry_run(suite, settings, places);
      context.print(context.json ? run::to_json(plan) : run::to_text(plan));
      return 0;
    }
    outcome = run::start(suite, settings, places);
  }
  return print_outcome(context, outcome, !arguments.has("converge"));
}

}  // namespace lockstep::cli
