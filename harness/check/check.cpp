#include "harness/check/check.h"

#include <unistd.h>

#include <algorithm>

#include "adapters/contract/failure.h"
#include "harness/suite/suite.h"
#include "results/snapshot/build_pool.h"
#include "results/snapshot/selector.h"
#include "results/stats/carry.h"

namespace lockstep::check {
namespace fs = std::filesystem;
namespace {

constexpr double kNsASecond = 1e9;

using snapshot::Side;

/// The folder that holds lockstep-worker: DIR, DIR/bin or DIR/build/release/bin.
fs::path workers_in(const fs::path& folder) {
  for (const fs::path& at : {folder, folder / "bin", folder / "build" / "release" / "bin"}) {
    if (access((at / "lockstep-worker").c_str(), X_OK) == 0) return fs::absolute(at).lexically_normal();
  }
  refuse({"", "--baseline-build", folder.string(), "no lockstep-worker in it, its bin or its build/release/bin",
          "build the baseline there: cmake --preset release && cmake --build --preset release"});
}

Side pool_of_baseline(store::Store& store, const Request& request, Result& result) {
  const snapshot::Selector selector = snapshot::parse_selector(request.baseline);
  const store::CampaignRow named = snapshot::resolve(store, selector.campaign);
  result.suite = named.suite;
  result.baseline_build = snapshot::build_of(store, named);
  std::vector<store::CampaignRow> campaigns{named};
  // A campaign that is named by its number or tag is meant alone; a build means all that ran with it.
  if (selector.campaign.kind == snapshot::CampaignSelector::Kind::git) {
    campaigns = snapshot::campaigns_of_build(store, result.baseline_build, named.suite);
  }
  return {request.baseline, snapshot::load_pool(store, campaigns, selector.filter, kPool)};
}

suite::Suite suite_of(const Request& request, const Result& result, const places::Places& places) {
  suite::Suite suite = suite::find_suite(request.suite.empty() ? result.suite : request.suite, places.suites);
  suite.profile = false;
  return suite;
}

/// The candidate: a stored campaign, or one that is run now with the suite of the baseline.
Side candidate_of(store::Store& store, const Request& request, const run::Settings& settings,
                  const places::Places& places, Result& result) {
  if (!request.candidate.empty()) return snapshot::load_side(store, request.candidate);
  if (!request.run) return snapshot::load_side(store, "@last");
  const run::Outcome outcome = run::start(suite_of(request, result, places), settings, places);
  result.interrupted = outcome.interrupted;
  return snapshot::load_side(store, "@" + std::to_string(outcome.campaign));
}

/// What fits into the budget, by the mean time of the candidate's launches; the rest is told.
std::vector<std::string> within_budget(std::vector<std::string> cells, const Request& request, Result& result) {
  const snapshot::CampaignSnapshot& candidate = result.screen.b.snapshot;
  const double all_s =
      static_cast<double>(candidate.campaign.ended_utc_ns - candidate.campaign.started_utc_ns) / kNsASecond;
  const double launch_s = all_s / static_cast<double>(std::max<int64_t>(candidate.counts.total(), 1));
  const double cell_s = std::max(launch_s * 2 * static_cast<double>(request.pairs), 1e-3);
  const auto fit = static_cast<size_t>(std::max(1.0, request.budget_s / cell_s));
  if (cells.size() > fit) {
    result.over_budget.assign(cells.begin() + static_cast<std::ptrdiff_t>(fit), cells.end());
    cells.resize(fit);
  }
  return cells;
}

snapshot::CampaignComparison confirm(store::Store& store, const Request& request, run::Settings settings,
                                     const places::Places& places, const std::vector<std::string>& cells,
                                     Result& result) {
  suite::Suite suite = suite_of(request, result, places);
  // A single regression among so many cells, two metrics each, has to be declarable.
  const auto family = static_cast<int64_t>(2 * cells.size());
  suite.launches = std::max(request.pairs, stats::launches_for_one_paired(family));
  settings.only = cells;
  places::Places baseline = places;
  baseline.workers = workers_in(request.baseline_build);
  const auto [a, b] = run::take_turns(suite, settings, baseline, places);
  result.interrupted = a.interrupted;  // of both: they take turns
  return snapshot::compare(store, snapshot::load_side(store, "@" + std::to_string(a.campaign)),
                           snapshot::load_side(store, "@" + std::to_string(b.campaign)), request.vary);
}

}  // namespace

Result check(const Request& request, const run::Settings& settings, const places::Places& places) {
  store::Store store = store::Store::open(settings.store.string(), store::OpenMode::read_write);
  Result result;
  if (!request.baseline_build.empty()) workers_in(request.baseline_build);  // before anything runs
  Side baseline = pool_of_baseline(store, request, result);
  Side candidate = candidate_of(store, request, settings, places, result);
  result.build = snapshot::build_of(store, candidate.snapshot.campaign);
  result.screen = snapshot::compare(store, std::move(baseline), std::move(candidate), request.vary);
  const bool can_confirm = request.run && !request.baseline_build.empty() && !result.interrupted;
  const std::vector<std::string> cells =
      can_confirm ? within_budget(suspects(result.screen.verdicts), request, result) : std::vector<std::string>();
  if (!cells.empty()) result.confirmation = confirm(store, request, settings, places, cells, result);
  result.items = decide(result.screen.verdicts,
                        result.confirmation ? result.confirmation->verdicts : std::vector<snapshot::Verdict>());
  result.regressed_where = where_it_regressed(result.items);
  return result;
}

}  // namespace lockstep::check
