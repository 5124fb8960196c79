#include <fmt/format.h>

#include "adapters/contract/failure.h"
#include "harness/cli/commands.h"
#include "harness/cli/exit_code.h"
#include "harness/json/writer.h"
#include "harness/report/breakdowns.h"
#include "harness/report/build.h"
#include "harness/report/formats.h"
#include "harness/report/render.h"
#include "harness/report/save.h"
#include "harness/run/campaign.h"
#include "harness/run/dry_run.h"
#include "harness/suite/suite.h"
#include "results/snapshot/selector.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::cli {
namespace {

run::Settings settings_of(const Arguments& arguments, const Context& context) {
  run::Settings settings;
  settings.store = context.store, settings.runs = context.runs;
  settings.patience = arguments.number("patience", 1, 0.01, 1000);
  settings.verify = !arguments.has("no-verify");
  settings.again_failed = arguments.has("failed");
  settings.filter = arguments.text("filter");
  settings.command_line = context.command_line;
  settings.print = [&context](const std::string& text) { context.progress(text); };
  settings.terminal = context.terminal.err_is_terminal, settings.width = context.terminal.width;
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

suite::Suite chosen_suite(const Arguments& arguments, const places::Places& places) {
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
  return suite;
}

// The page of the campaign; a table that is there already is worth more than one that says why a page is not.
void write_page(const Context& context, store::Store& store, snapshot::CampaignSnapshot snapshot) {
  const std::filesystem::path file = report::html_file(snapshot.campaign);
  try {
    report::add_breakdowns(store, context.store, snapshot);
    report::save(file, report::html(report::build_report(store, snapshot)));
    context.print(fmt::format("report: {}\n", file.string()));
  } catch (const Failure& failure) {
    context.progress(fmt::format("no report: {}\n", failure.what()));
  }
}

void print_result(const Context& context, const run::Outcome& outcome, bool page) {
  store::Store store = context.open_store();
  const store::CampaignRow campaign = *store.campaign(outcome.campaign);
  const snapshot::CampaignSnapshot snapshot = snapshot::load(store, campaign);
  context.print(context.json ? report::to_json(snapshot) : report::table(store, snapshot));
  if (page && !context.json) write_page(context, store, snapshot);
  if (outcome.interrupted) {
    context.progress(fmt::format("interrupted; everything that finished is kept. Go on: lockstep run --resume @{}\n",
                                 outcome.campaign));
  } else if (outcome.failed > 0) {
    context.progress(fmt::format("again: lockstep run --resume @{} --failed\n", outcome.campaign));
  }
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
    outcome = run::resume(std::move(store), campaign, settings, places);
  } else if (!arguments.has("SUITE") && !arguments.has("workload")) {
    return list_suites(context);
  } else {
    const suite::Suite suite = chosen_suite(arguments, places);
    if (arguments.has("dry-run")) {
      const run::DryRun plan = run::dry_run(suite, settings, places);
      context.print(context.json ? run::to_json(plan) : run::to_text(plan));
      return 0;
    }
    outcome = run::start(suite, settings, places);
  }
  print_result(context, outcome, !arguments.has("converge"));
  if (outcome.interrupted) return kInterrupted;
  return outcome.failed > 0 || outcome.proofs_failed > 0 ? kFailed : 0;
}

}  // namespace lockstep::cli
