#include <fmt/format.h>

#include "harness/cli/commands.h"
#include "harness/cli/settings.h"
#include "harness/exit_code.h"
#include "harness/run/campaign.h"
#include "harness/suite/suite.h"
#include "results/json/writer.h"

namespace lockstep::cli {
namespace {

suite::Suite suite_of(const Arguments& arguments, const places::Places& places) {
  suite::Suite suite;
  suite.id = "verify", suite.title = "proofs of equal work";
  suite.workloads = arguments.list("workload");
  if (suite.workloads.empty()) suite.workloads = suite::find_suite("quickstart", places.suites).workloads;
  suite::Entry entry{{arguments.text("SYSTEM")}, arguments.list("strategy"), {}, arguments.list("fabric")};
  if (entry.strategies.empty()) entry.strategies = {"serial"};
  suite.entries.push_back(entry);
  suite.recipes.emplace_back();
  suite.launches = 1;
  return suite;
}

struct ProofLine {
  std::string cell;
  store::ProofRow proof;
};

// The newest proof of each cell that the campaign tried; not made where its launch did not finish.
std::vector<ProofLine> proofs_of(store::Store& store, int64_t campaign) {
  const store::CampaignRow row = *store.campaign(campaign);
  std::vector<ProofLine> lines;
  for (const store::LaunchRow& launch : store.launches({row.id, {}, {}, {}})) {
    store::ProofRow proof;
    for (const store::ProofRow& known : store.proofs(launch.cell, launch.environment)) {
      if (known.launch == launch.id) proof = known;
    }
    if (launch.status != store::LaunchStatus::finished) proof.reason = launch.error_kind + ": " + launch.error_message;
    lines.push_back({launch.cell, proof});
  }
  return lines;
}

void print(const Context& context, const std::vector<ProofLine>& lines) {
  json::Writer out;
  out.open_object().member("format", "lockstep.proofs").member("version", 1).key("proofs").open_array();
  for (const ProofLine& line : lines) {
    const std::string state = store::to_text(line.proof.state);
    if (!context.json) {
      std::string text = fmt::format("{:<10}{}", state, line.cell);
      if (line.proof.state != store::ProofState::none)
        text += fmt::format("  worst {:.3g} of its limit", line.proof.worst);
      if (!line.proof.reason.empty()) text += "  " + line.proof.reason;
      context.print(text + "\n");
    }
    out.open_object().member("cell", line.cell).member("proof", state).member("worst", line.proof.worst);
    out.known("reason", line.proof.reason).key("differences").raw(line.proof.differences_json).close();
  }
  out.close().close();
  if (context.json) context.print(out.text());
}

}  // namespace

int verify(const Arguments& arguments, const Context& context) {
  const places::Places places = places::find();
  run::Settings settings = run_settings(arguments, context);
  settings.verify_only = true, settings.verify_again = true;
  const run::Outcome outcome = run::start(suite_of(arguments, places), settings, places);
  store::Store store = context.open_store();
  const std::vector<ProofLine> lines = proofs_of(store, outcome.campaign);
  print(context, lines);
  if (lines.empty() && !context.json) {
    context.print(
        "nothing to prove: no proof is made of what is refused, of fabric null, and of strategies whose updates are "
        "not "
        "those of the serial run (pipedream)\n");
  }
  if (outcome.interrupted) return kInterrupted;
  int code = lines.empty() ? kFailed : kFine;
  for (const ProofLine& line : lines) {
    if (line.proof.state == store::ProofState::failed) return kDecidedAgainst;
    if (line.proof.state == store::ProofState::none) code = kFailed;
  }
  return code;
}

}  // namespace lockstep::cli
