#include "harness/check/decision.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/exit_code.h"
#include "results/snapshot/efficiency.h"
#include "results/stats/carry.h"

namespace lockstep::check {
namespace {

using snapshot::Verdict;

bool moved(const Verdict& v) { return v.word == "regressed" || v.word == "improved"; }

}  // namespace

Counts count(const std::vector<Item>& items) {
  Counts out;
  for (const Item& item : items) {
    const std::string& word = item.verdict.word;
    out.regressed += word == "regressed", out.improved += word == "improved", out.equivalent += word == "equivalent";
    out.inconclusive += word == "inconclusive", out.suspicious += word == "suspicious";
    out.incomparable += word == "incomparable", out.unsupported += word == "unsupported";
    out.errors += word == "error";
  }
  return out;
}

std::vector<std::string> suspects(const std::vector<Verdict>& screened) {
  std::vector<std::string> out;
  const auto add_where = [&](auto holds) {
    for (const Verdict& v : screened) {
      if (holds(v) && std::find(out.begin(), out.end(), v.cell().text) == out.end()) out.push_back(v.cell().text);
    }
  };
  add_where(moved);
  add_where([](const Verdict& v) { return v.metric == "time" && v.word == "inconclusive"; });
  return out;
}

int64_t pairs_of(int64_t asked, size_t cells) {
  return std::max(asked, stats::launches_for_one_paired(static_cast<int64_t>(2 * cells)));
}

double seconds_of_pairs(int64_t asked, size_t cells, double launch_s) {
  return 2 * static_cast<double>(pairs_of(asked, cells)) * static_cast<double>(cells) * launch_s;
}

void refuse_unproved(std::vector<Verdict>& verdicts, const std::vector<run::Unproved>& unproved,
                     const std::string& side) {
  if (unproved.empty()) return;
  for (Verdict& v : verdicts) {
    for (const run::Unproved& one : unproved) {
      if (one.cell != v.cell().text || v.word == "error") continue;
      v.word = "error",
      v.reason = fmt::format("{}: equal work {}: {}", side, one.failed ? "failed" : "not proved", one.why);
    }
  }
  snapshot::settle(verdicts, snapshot::Relation::builds);
}

std::vector<Item> decide(const std::vector<Verdict>& screened, std::vector<Verdict> confirmed,
                         const std::vector<std::string>& over_budget) {
  // What was confirmed is a family of its own: its launches are fresh, whatever the screen saw.
  snapshot::settle(confirmed, snapshot::Relation::builds);
  std::vector<Item> out;
  for (const Verdict& v : screened) {
    const auto fresh = std::find_if(confirmed.begin(), confirmed.end(), [&](const Verdict& c) {
      return c.cell().text == v.cell().text && c.metric == v.metric;
    });
    if (fresh != confirmed.end()) {
      out.push_back({*fresh, true});
      continue;
    }
    out.push_back({v, false});
    if (!moved(v)) continue;
    const bool over = std::find(over_budget.begin(), over_budget.end(), v.cell().text) != over_budget.end();
    out.back().verdict.word = "suspicious";
    out.back().verdict.reason = over ? "moved in stored data; fresh pairs of both builds are over the budget"
                                     : "moved in stored data; no fresh pairs of both builds";
  }
  return out;
}

int exit_code(const std::vector<Item>& items, bool strict, bool stored_only) {
  const Counts n = count(items);
  const bool decided = std::any_of(items.begin(), items.end(), [&](const Item& item) {
    const Verdict& v = item.verdict;
    return v.metric == "time" && (moved(v) || v.word == "equivalent" || (stored_only && v.word == "suspicious"));
  });
  const int64_t open = n.inconclusive + n.suspicious + n.incomparable;
  if (n.regressed > 0) return kDecidedAgainst;
  if (n.errors > 0 || n.unsupported == static_cast<int64_t>(items.size())) return kFailed;
  return !decided || (strict && open > 0) ? kInconclusive : kFine;
}

std::vector<std::string> where_it_regressed(const std::vector<Item>& items) {
  std::map<std::string, std::vector<const Verdict*>> groups;
  for (const Item& item : items) {
    const Verdict& v = item.verdict;
    if (v.metric == "time" && !v.cell_a.text.empty()) groups[v.cell_a.workload + " " + v.cell_a.system].push_back(&v);
  }
  std::vector<std::string> out;
  for (const auto& [name, verdicts] : groups) {
    std::set<int64_t> regressed;
    std::string base = "not measured";
    for (const Verdict* v : verdicts) {
      if (snapshot::is_serial(v->cell_a)) base = v->word;
      if (v->word == "regressed") regressed.insert(v->cell_a.ranks);
    }
    if (regressed.empty()) continue;
    const bool only_more = !regressed.contains(1);
    out.push_back(fmt::format("{} regressed at {} rank{}{}; base case (serial) {}", name, fmt::join(regressed, ", "),
                              regressed.size() == 1 && !only_more ? "" : "s",
                              only_more && base == "equivalent" ? " only: scaling, not the base case" : "", base));
  }
  return out;
}

}  // namespace lockstep::check
