#include "harness/cli/result.h"

#include <fmt/format.h>

#include "adapters/contract/failure.h"
#include "harness/exit_code.h"
#include "results/report/breakdowns.h"
#include "results/report/build.h"
#include "results/report/formats.h"
#include "results/report/render.h"
#include "results/report/save.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::cli {

namespace {

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

}  // namespace

int print_outcome(const Context& context, const run::Outcome& outcome, bool page) {
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
  if (outcome.interrupted) return kInterrupted;
  return outcome.failed > 0 || outcome.proof_failed() ? kFailed : kFine;
}

}  // namespace lockstep::cli
