#include "harness/run/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "adapters/contract/failure.h"
#include "adapters/contract/manifest.h"
#include "adapters/contract/plural.h"
#include "harness/run/carry.h"
#include "results/json/writer.h"
#include "results/report/figures.h"

namespace lockstep::run {
namespace {

constexpr double kEndOfSeconds = 1e-9;

// Mean seconds of finished launches, by cell.
std::map<std::string, double> history(const std::filesystem::path& file) {
  std::map<std::string, std::pair<double, int64_t>> sums;
  std::map<std::string, double> means;
  if (!std::filesystem::exists(file)) return means;
  store::Store store = store::Store::open(file.string(), store::OpenMode::read_write);
  for (const store::LaunchRow& row : store.launches({{}, {}, store::LaunchMode::time, store::LaunchStatus::finished})) {
    auto& [seconds, count] = sums[row.cell];
    seconds += static_cast<double>(row.ended_utc_ns - row.started_utc_ns) * kEndOfSeconds;
    ++count;
  }
  for (const auto& [cell, sum] : sums) means[cell] = sum.first / static_cast<double>(sum.second);
  return means;
}

}  // namespace

DryRun dry_run(const suite::Suite& suite, const Settings& settings, const places::Places& places) {
  suite::Catalogue catalogue(places.workloads, contract::read_manifests(places.adapters));
  DryRun plan{suite, suite::expand(suite, catalogue)};
  suite::keep_matching(plan.cells, settings.filter);
  const std::map<std::string, double> seconds = history(settings.store);
  for (const suite::PlannedCell& cell : plan.cells) {
    ++(cell.refused ? plan.refused : plan.runnable);
    const auto known = seconds.find(cell.text);
    if (cell.refused || known == seconds.end()) continue;
    ++plan.known_cells;
    plan.known_seconds += known->second * static_cast<double>(suite.launches);
  }
  plan.launches = plan.runnable * suite.launches;
  plan.carry = carry_of(plan.cells, suite.launches);
  return plan;
}

std::string to_text(const DryRun& plan) {
  fmt::memory_buffer out;
  auto at = std::back_inserter(out);
  fmt::format_to(at, "{}: {} to run, {} refused; {}\n", plan.suite.id, plural(plan.runnable, "cell"), plan.refused,
                 plural(plan.launches, "launch", "launches"));
  fmt::format_to(at, "{}\n", carry_text(plan.carry));
  if (plan.known_cells > 0) {
    fmt::format_to(at, "time: about {} for the {} of {} cells that the store knows\n",
                   report::duration_text(plan.known_seconds), plan.known_cells, plan.runnable);
  } else {
    fmt::format_to(at, "time: not known, the store has none of these cells\n");
  }
  for (const suite::PlannedCell& cell : plan.cells) {
    fmt::format_to(at, "{:<8}{}{}\n", cell.refused ? "refused" : "run", cell.text,
                   cell.refused ? "  " + cell.refused->kind + ": " + cell.refused->message : "");
  }
  return fmt::to_string(out);
}

std::string to_json(const DryRun& plan) {
  json::Writer out;
  out.open_object().member("format", "lockstep.dry_run").member("version", 1).member("suite", plan.suite.id);
  out.member("launches_per_cell", plan.suite.launches).member("launches", plan.launches);
  out.key("carry").open_object().member("comparisons", plan.carry.comparisons).member("level", plan.carry.level);
  out.member("least_p", plan.carry.least_p).member("least_movers", plan.carry.least_movers);
  out.member("launches_for_one", plan.carry.launches_for_one).close();
  if (plan.known_cells > 0) {
    out.member("estimated_s", plan.known_seconds).member("estimated_cells", plan.known_cells);
  }
  out.key("cells").open_array();
  for (const suite::PlannedCell& c : plan.cells) {
    out.open_object().member("cell", c.text).member("workload", c.workload).member("system", c.system);
    out.member("strategy", c.strategy).known("fabric", c.fabric).member("ranks", c.ranks);
    out.member("status", c.refused ? "skipped" : "planned");
    if (c.refused) {
      out.key("error").open_object().member("kind", c.refused->kind).member("message", c.refused->message).close();
    }
    out.close();
  }
  return out.close().close().text();
}

}  // namespace lockstep::run
