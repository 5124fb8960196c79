#include "harness/cli/result.h"

#include <fmt/format.h>

#include "harness/cli/exit_code.h"
#include "harness/report/render.h"
#include "results/snapshot/snapshot.h"

namespace lockstep::cli {

int print_outcome(const Context& context, const run::Outcome& outcome) {
  store::Store store = context.open_store();
  const store::CampaignRow campaign = *store.campaign(outcome.campaign);
  const snapshot::CampaignSnapshot snapshot = snapshot::load(store, campaign);
  context.print(context.json ? report::to_json(snapshot) : report::table(store, snapshot));
  if (outcome.interrupted) {
    context.progress(fmt::format("interrupted; everything that finished is kept. Go on: lockstep run --resume @{}\n",
                                 outcome.campaign));
  } else if (outcome.failed > 0) {
    context.progress(fmt::format("again: lockstep run --resume @{} --failed\n", outcome.campaign));
  }
  if (outcome.interrupted) return kInterrupted;
  return outcome.failed > 0 || outcome.proofs_failed > 0 ? kFailed : kFine;
}

}  // namespace lockstep::cli
