#include "results/snapshot/setups.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/snapshot/efficiency.h"

namespace lockstep::snapshot {

namespace {

using Found = std::optional<Difference>;

Found differs(const char* what, int64_t a, int64_t b) {
  if (a == b) return std::nullopt;
  return Difference{what, std::to_string(a), std::to_string(b), true};
}

int64_t batch_of(const LaunchFigures& launch) { return launch.samples / std::max<int64_t>(launch.steps, 1); }

// What the harness asked of a launch. A command decides itself how many steps it makes, and so how many warm it up.
Found asked_otherwise(const LaunchFigures& a, const LaunchFigures& b, bool warmup) {
  Found found = differs("samples a step", batch_of(a), batch_of(b));
  if (!found) found = differs("threads a rank", a.threads, b.threads);
  if (!found && warmup) found = differs("warm-up steps", a.warmup, b.warmup);
  return found;
}

const LaunchFigures& newest(const CellSnapshot& cell) {
  return *std::max_element(cell.launches.begin(), cell.launches.end(), [](const auto& x, const auto& y) {
    return std::pair(x.started_utc_ns, x.number) < std::pair(y.started_utc_ns, y.number);
  });
}

template <class Mismatch>
void leave_out(CellSnapshot& cell, bool of_a, std::vector<LeftOut>& left_out, Mismatch mismatch) {
  std::map<std::string, int64_t> why;
  std::erase_if(cell.launches, [&](const LaunchFigures& launch) {
    const Found found = mismatch(launch);
    if (found)
      ++why[fmt::format("{}: {}, newest {}", found->key, found->a.empty() ? "none" : found->a,
                        found->b.empty() ? "none" : found->b)];
    return found.has_value();
  });
  for (const auto& [reason, launches] : why) left_out.push_back({cell.cell.text, of_a, launches, reason});
}

}  // namespace

Setups::Setups(store::Store& store, std::vector<std::string> vary, bool systems)
    : store_(store), vary_(std::move(vary)), systems_(systems) {}

const std::string& Setups::json(const std::string& hash) {
  const auto known = environments_.find(hash);
  if (known != environments_.end()) return known->second;
  const auto row = store_.environment(hash);
  return environments_.emplace(hash, row ? row->json : "{}").first->second;
}

const std::vector<Difference>& Setups::differences(const LaunchFigures& a, const LaunchFigures& b) {
  const auto [at, is_new] = sides_.try_emplace({a.environment, b.environment});
  if (!is_new) return at->second;
  at->second = environment_differences(json(a.environment), json(b.environment), vary_);
  for (Difference& found : at->second) {
    if (systems_ && !found.key.starts_with("machine.")) found.must_match = false;
  }
  return at->second;
}

Found Setups::mismatch(const CellSnapshot& a, const LaunchFigures& ours, const CellSnapshot& b,
                       const LaunchFigures& theirs) {
  for (const Difference& found : differences(ours, theirs)) {
    if (found.must_match) return found;
  }
  if (a.cell.ranks != b.cell.ranks) return std::nullopt;
  return asked_otherwise(ours, theirs, !systems_ && !is_command(a.cell));
}

// Whatever is under test between the sides is one on each of them.
Found Setups::of_one_side(const LaunchFigures& launch, const LaunchFigures& last) {
  const auto [at, is_new] = builds_.try_emplace({launch.environment, last.environment});
  if (is_new) at->second = environment_differences(json(launch.environment), json(last.environment), {});
  for (const Difference& found : at->second) {
    if (found.must_match || found.key == "versions.git" || found.key == "code") return found;
  }
  return std::nullopt;
}

Found Setups::keep_alike(CellSnapshot& a, CellSnapshot& b, std::vector<LeftOut>& left_out) {
  const LaunchFigures last = newest(b), last_of_a = newest(a);
  const bool warmup = !is_command(b.cell);
  const auto as_b = [&](const LaunchFigures& launch) { return mismatch(a, launch, b, last); };
  const bool none = std::all_of(a.launches.begin(), a.launches.end(),
                                [&](const LaunchFigures& launch) { return as_b(launch).has_value(); });
  if (none) return as_b(last_of_a);
  leave_out(b, false, left_out, [&](const LaunchFigures& launch) {
    const Found found = of_one_side(launch, last);
    return found ? found : asked_otherwise(launch, last, warmup);
  });
  leave_out(a, true, left_out, as_b);
  const LaunchFigures kept = newest(a);
  leave_out(a, true, left_out, [&](const LaunchFigures& launch) { return of_one_side(launch, kept); });
  return std::nullopt;
}

}  // namespace lockstep::snapshot
