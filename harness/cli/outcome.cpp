#include "harness/cli/outcome.h"

#include <fmt/format.h>

#include "harness/cli/exit_code.h"
#include "harness/report/render.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::cli {

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

int finish(const Context& context, const run::Outcome& outcome) {
  store::Store store = context.open_store();
  const store::CampaignRow campaign = *store.campaign(outcome.campaign);
  const snapshot::CampaignSnapshot snapshot = snapshot::load(store, campaign);
  context.print(context.json ? report::to_json(snapshot) : report::table(store, snapshot));
  if (outcome.interrupted) {
    context.progress(fmt::format("interrupted; everything that finished is kept. Go on: lockstep run --resume @{}\n",
                                 outcome.campaign));
    return kInterrupted;
  }
  if (outcome.failed > 0) {
    context.progress(fmt::format("again: lockstep run --resume @{} --failed\n", outcome.campaign));
  }
  return outcome.failed > 0 || outcome.proofs_failed > 0 ? kFailed : 0;
}

}  // namespace lockstep::cli
