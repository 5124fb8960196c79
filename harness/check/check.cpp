#include "harness/check/check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "adapters/contract/failure.h"
#include "adapters/contract/manifest.h"
#include "harness/run/dry_run.h"
#include "harness/suite/suite.h"
#include "results/snapshot/build_pool.h"
#include "results/snapshot/matching.h"

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

/// One check at work.
class Checker {
 public:
  Checker(const Request& request, const run::Settings& settings, const places::Places& places)
      : request_(request), settings_(settings), places_(places) {}

  Result check() {
    result_.has_baseline_build = !request_.baseline_build.empty();
    result_.can_confirm = request_.run && result_.has_baseline_build;
    if (result_.has_baseline_build) {
      baseline_places_ = places::of_build(places_, workers_in(request_.baseline_build));
    }
    const std::string wanted = request_.suite.empty() ? "" : suite::find_suite(request_.suite, places_.suites).id;
    const Baseline baseline = find_baseline(store_, request_.baseline, wanted);
    result_.suite = wanted.empty() ? baseline.campaigns.front().suite : wanted;
    result_.baseline_build = snapshot::build_of(store_, baseline.campaigns.front());
    settings_.filter = snapshot::to_text(baseline.selector.filter);
    if (result_.can_confirm || is_run()) look_at_cells(baseline);
    screen(baseline);
    if (result_.can_confirm && !result_.interrupted) confirm(within_budget(suspects(result_.screen.verdicts)));
    result_.items = decide(result_.screen.verdicts,
                           result_.confirmation ? result_.confirmation->verdicts : std::vector<snapshot::Verdict>(),
                           result_.over_budget);
    result_.regressed_where = where_it_regressed(result_.items);
    return std::move(result_);
  }

 private:
  bool is_run() const { return request_.run && request_.candidate.empty(); }

  suite::Suite suite() const {
    suite::Suite suite = suite::find_suite(request_.suite.empty() ? result_.suite : request_.suite, places_.suites);
    suite.profile = false;
    return suite;
  }

  // What would run has to be what the baseline has, and the baseline's build has to have what would run.
  void look_at_cells(const Baseline& baseline) const {
    const std::vector<suite::PlannedCell> cells = run::dry_run(suite(), settings_, places_).cells;
    std::vector<std::string> texts;
    for (const suite::PlannedCell& cell : cells) texts.push_back(cell.text);
    if (is_run()) {
      snapshot::require_common_cell(baseline.text(), cells_of(store_, baseline), "suite " + result_.suite, texts);
    }
    if (!result_.can_confirm || !baseline_places_.adapters.empty()) return;
    for (const contract::Manifest& manifest : contract::read_manifests(places_.adapters)) {
      const bool runs = std::any_of(cells.begin(), cells.end(),
                                    [&](const suite::PlannedCell& cell) { return cell.system_id == manifest.name; });
      if (!runs || contract::is_executable_of_ours(manifest)) continue;
      refuse(
          {"", "--baseline-build", baseline_places_.workers.string(),
           fmt::format("no folder above it has adapters, and {}'s worker is a file of one: both sides would run ours",
                       manifest.name),
           "name the build inside its source tree or installation"});
    }
  }

  void screen(const Baseline& baseline) {
    std::vector<run::Unproved> unproved;
    Side candidate;
    if (is_run()) {
      const run::Outcome outcome = run::start(suite(), settings_, places_);
      result_.interrupted = outcome.interrupted, unproved = outcome.unproved;
      candidate = snapshot::load_side(store_, fmt::format("@{}", outcome.campaign));
    } else {
      candidate = stored_candidate(store_, request_.candidate, result_.suite, baseline);
    }
    result_.build = snapshot::build_of(store_, candidate.snapshot.campaign);
    // An interrupted run may have nothing to compare.
    result_.screen =
        result_.interrupted
            ? snapshot::compare(store_, load(store_, baseline), std::move(candidate), request_.vary)
            : snapshot::compare_builds(store_, load(store_, baseline), std::move(candidate), request_.vary);
    refuse_unproved(result_.screen.verdicts, unproved, "new");
  }

  /// What fits into the budget, by the mean time of the candidate's launches; the rest is told.
  std::vector<std::string> within_budget(std::vector<std::string> cells) {
    const snapshot::CampaignSnapshot& candidate = result_.screen.b.snapshot;
    const double all_s = std::max(
        0.0, static_cast<double>(candidate.campaign.ended_utc_ns - candidate.campaign.started_utc_ns) / kNsASecond);
    const double launch_s = all_s / static_cast<double>(std::max<int64_t>(candidate.counts.total(), 1));
    result_.budget_s = request_.budget_s;
    result_.needed_s = seconds_of_pairs(request_.pairs, cells.size(), launch_s);
    size_t fit = cells.size();
    while (fit > 0 && seconds_of_pairs(request_.pairs, fit, launch_s) > request_.budget_s) --fit;
    result_.over_budget.assign(cells.begin() + static_cast<std::ptrdiff_t>(fit), cells.end());
    cells.resize(fit);
    return cells;
  }

  void confirm(const std::vector<std::string>& cells) {
    if (cells.empty()) return;
    suite::Suite both = suite();
    both.launches = pairs_of(request_.pairs, cells.size());
    settings_.only = cells;
    places::Places old = baseline_places_;
    if (old.adapters.empty()) old.adapters = places_.adapters;  // they only say how to start executables: look_at_cells
    const auto [a, b] = run::take_turns(both, settings_, old, places_);
    result_.interrupted = a.interrupted;  // of both: they take turns
    result_.confirmation =
        snapshot::compare(store_, snapshot::load_side(store_, fmt::format("@{}", a.campaign)),
                          snapshot::load_side(store_, fmt::format("@{}", b.campaign)), request_.vary);
    refuse_unproved(result_.confirmation->verdicts, a.unproved, "old");
    refuse_unproved(result_.confirmation->verdicts, b.unproved, "new");
  }

  const Request& request_;
  run::Settings settings_;
  places::Places places_, baseline_places_;
  mutable store::Store store_ = store::Store::open(settings_.store.string(), store::OpenMode::read_write);
  Result result_;
};

}  // namespace

Result check(const Request& request, const run::Settings& settings, const places::Places& places) {
  return Checker(request, settings, places).check();
}

}  // namespace lockstep::check
