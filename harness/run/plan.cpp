#include "harness/run/plan.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "adapters/contract/failure.h"
#include "adapters/contract/json_words.h"
#include "harness/suite/interleave.h"
#include "results/json/writer.h"
#include "results/store/id.h"
#include "workloads/data/philox.h"

namespace lockstep::run {
namespace {

using store::LaunchMode;
using store::LaunchStatus;
using Key = std::tuple<std::string, LaunchMode, int64_t, int64_t>;

Key key_of(const PlannedLaunch& p) { return {p.cell, p.mode, p.block, p.repetition}; }
Key key_of(const store::LaunchRow& r) { return {r.cell, r.mode, r.block, r.repetition}; }

bool is_begun(LaunchStatus status) { return status == LaunchStatus::planned || status == LaunchStatus::running; }

}  // namespace

std::vector<PlannedLaunch> plan(const suite::Suite& suite, const std::vector<suite::PlannedCell>& cells,
                                const std::vector<std::string>& verify) {
  std::vector<PlannedLaunch> all;
  const auto add = [&](const std::string& cell, LaunchMode mode, int64_t block, int64_t repetition) {
    all.push_back({static_cast<int64_t>(all.size()) + 1, store::make_id(), cell, mode, block, repetition});
  };
  for (const std::string& cell : verify) add(cell, LaunchMode::verify, 0, 0);
  std::vector<const suite::PlannedCell*> runnable;
  for (const suite::PlannedCell& cell : cells) {
    if (cell.refused) add(cell.text, LaunchMode::time, 0, 0);
    if (!cell.refused) runnable.push_back(&cell);
  }
  const auto order =
      suite::interleave(static_cast<int64_t>(runnable.size()), suite.launches, workloads::name_hash(suite.id, 0));
  for (size_t block = 0; block < order.size(); ++block) {
    const auto number = static_cast<int64_t>(block);
    const LaunchMode mode = suite.converge ? LaunchMode::converge : LaunchMode::time;
    for (int64_t cell : order[block]) add(runnable[static_cast<size_t>(cell)]->text, mode, number, number);
  }
  for (const suite::PlannedCell* cell : runnable) {
    if (suite.profile && cell->system_id == "reference") add(cell->text, LaunchMode::profile, 0, 0);
  }
  return all;
}

std::string to_json(const std::vector<PlannedLaunch>& launches) {
  json::Writer out;
  out.open_array();
  for (const PlannedLaunch& p : launches) {
    out.open_object().member("number", p.number).member("id", p.id).member("cell", p.cell);
    out.member("mode", store::to_text(p.mode)).member("block", p.block).member("repetition", p.repetition).close();
  }
  return out.close().text();
}

std::vector<PlannedLaunch> from_json(const std::string& text) {
  std::vector<PlannedLaunch> all;
  try {
    for (const auto& j : nlohmann::json::parse(text)) {
      all.push_back({j.at("number"), j.at("id"), j.at("cell"), store::parse_launch_mode(j.at("mode")), j.at("block"),
                     j.at("repetition")});
    }
  } catch (const nlohmann::json::exception& error) {
    throw Failure("setup", "the campaign's plan is damaged: " + json_words(error.what()));
  }
  return all;
}

std::vector<PlannedLaunch> remaining(const std::vector<PlannedLaunch>& planned,
                                     const std::vector<store::LaunchRow>& known, bool again_failed) {
  std::set<Key> done;
  std::set<int64_t> used;
  int64_t next = 1;
  for (const PlannedLaunch& p : planned) next = std::max(next, p.number + 1);
  for (const store::LaunchRow& row : known) {
    next = std::max(next, row.number + 1);
    if (!is_begun(row.status)) used.insert(row.number);
    const bool again = row.status == LaunchStatus::interrupted || (row.status == LaunchStatus::failed && again_failed);
    if (!is_begun(row.status) && !again) done.insert(key_of(row));
  }
  std::vector<PlannedLaunch> rest;
  for (PlannedLaunch p : planned) {
    if (done.contains(key_of(p))) continue;
    if (used.contains(p.number)) p.number = next++, p.id = store::make_id();
    rest.push_back(p);
  }
  return rest;
}

}  // namespace lockstep::run
