#include "results/snapshot/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "results/snapshot/efficiency.h"
#include "results/snapshot/pairing.h"
#include "results/stats/geometric_mean.h"
#include "results/stats/median.h"

namespace lockstep::snapshot {

namespace {

/// Null: that side lacks the cell.
struct CellPair {
  const CellSnapshot* a = nullptr;
  const CellSnapshot* b = nullptr;
};

using Cells = std::vector<const CellSnapshot*>;
using Key = std::string (*)(const store::CellRow&);

Cells cells_of(const CampaignSnapshot& snapshot) {
  Cells out;
  for (const WorkloadGroup& group : snapshot.groups) {
    for (const CellSnapshot& cell : group.cells) out.push_back(&cell);
  }
  return out;
}

std::string whole(const store::CellRow& c) { return c.text; }
std::string by_strategy(const store::CellRow& c) { return c.workload + " " + c.strategy; }
std::string by_system(const store::CellRow& c) { return c.workload + " " + c.system; }
std::string by_workload(const store::CellRow& c) { return c.workload; }

std::vector<CellPair> pairs_by(const Cells& a, const Cells& b, Key key) {
  std::vector<CellPair> out;
  for (const CellSnapshot* ours : a) {
    for (const CellSnapshot* theirs : b) {
      const bool copies = ours->is_copies || theirs->is_copies;
      if (key(ours->cell) == key(theirs->cell) && (!copies || key == whole)) out.push_back({ours, theirs});
    }
  }
  return out;
}

/// Pairs of equal cells, and the cells that only one side has.
std::vector<CellPair> equal_cells(const Cells& a, const Cells& b) {
  std::vector<CellPair> out = pairs_by(a, b, whole);
  std::set<std::string> both;
  for (const CellPair& pair : out) both.insert(pair.a->cell.text);
  if (both.empty()) return out;
  for (const CellSnapshot* cell : a) {
    if (!both.contains(cell->cell.text)) out.push_back({cell, nullptr});
  }
  for (const CellSnapshot* cell : b) {
    if (!both.contains(cell->cell.text)) out.push_back({nullptr, cell});
  }
  return out;
}

std::vector<CellPair> match(const CampaignSnapshot& a, const CampaignSnapshot& b, Relation& relation) {
  const Cells ours = cells_of(a), theirs = cells_of(b);
  relation = Relation::builds;
  std::vector<CellPair> out = equal_cells(ours, theirs);
  if (!out.empty()) return out;
  relation = Relation::systems;
  for (const Key key : {by_strategy, by_system, by_workload}) {
    out = pairs_by(ours, theirs, key);
    if (!out.empty()) break;
  }
  return out;
}

/// Why a side's launches cannot be taken, "" where they can. A side without measurements is never a pass.
std::string fault(const CellSnapshot* cell, const char* side) {
  if (cell == nullptr) return fmt::format("{} has no such cell", side);
  if (cell->launches.empty()) {
    if (cell->reasons.empty()) return fmt::format("{}: no launch of it", side);
    const Reason& first = cell->reasons.front();
    return fmt::format("{}: {} {} ({})", side, store::to_text(first.status), first.kind, first.message);
  }
  if (cell->counts.failed > 0) return fmt::format("{}: {} launches failed", side, cell->counts.failed);
  if (cell->proof == store::ProofState::failed) return fmt::format("{}: equal work failed", side);
  for (const LaunchFigures& launch : cell->launches) {
    if (!launch.problem.empty()) return fmt::format("{}: launch {}: {}", side, launch.number, launch.problem);
    if (launch.has_loss && !std::isfinite(launch.last_loss)) {
      return fmt::format("{}: launch {}: the loss is not finite", side, launch.number);
    }
  }
  return "";
}

std::string faults(const CellPair& pair) {
  const std::string ours = fault(pair.a, "A"), theirs = fault(pair.b, "B");
  return ours + (ours.empty() || theirs.empty() ? "" : "; ") + theirs;
}

template <class Value>
std::string must_match(const char* what, const CellSnapshot& a, const CellSnapshot& b, Value value) {
  const auto ours = value(a.launches.front()), theirs = value(b.launches.front());
  return ours == theirs ? "" : fmt::format("{}: A {}, B {} (must match)", what, ours, theirs);
}

class Comparer {
 public:
  Comparer(store::Store& store, CampaignComparison& out, double level) : store_(store), out_(out), level_(level) {}

  /// What holds for every metric of a pair: its cells, and why it cannot be weighed.
  Verdict begin(const CellPair& pair) {
    Verdict verdict;
    if (pair.a != nullptr) verdict.cell_a = pair.a->cell;
    if (pair.b != nullptr) verdict.cell_b = pair.b->cell;
    verdict.reason = faults(pair);
    if (!verdict.reason.empty()) {
      verdict.word = "error";
      return verdict;
    }
    verdict.reason = incomparable(*pair.a, *pair.b);
    if (!verdict.reason.empty()) verdict.word = "incomparable";
    return verdict;
  }

  void add(const CellPair& pair, const Metric& metric, Verdict verdict) {
    verdict.metric = metric.name, verdict.unit = metric.unit;
    if (pair.a != nullptr) verdict.a = stats::median(column(*pair.a, metric.figure), level_);
    if (pair.b != nullptr) verdict.b = stats::median(column(*pair.b, metric.figure), level_);
    if (verdict.word.empty()) weigh(pair, metric, verdict);
    out_.verdicts.push_back(std::move(verdict));
  }

  void add_losses(const CellPair& pair) {
    if (pair.a == nullptr || pair.b == nullptr) return;
    for (const LaunchFigures& ours : pair.a->launches) {
      for (const LaunchFigures& theirs : pair.b->launches) {
        if (ours.repetition != theirs.repetition || !ours.has_loss || !theirs.has_loss) continue;
        ++out_.losses;
        out_.same_losses += ours.last_loss == theirs.last_loss;
        const double apart = std::abs(ours.last_loss - theirs.last_loss) / std::abs(ours.last_loss);
        if (apart > out_.largest_loss_difference) out_.largest_loss_difference = apart;
      }
    }
  }

  /// Both sides' samples of the cells whose times were compared.
  const std::vector<stats::Cell>& time_cells() const { return time_cells_; }

 private:
  /// Must-match keys of the environments, threads and batch.
  std::string incomparable(const CellSnapshot& a, const CellSnapshot& b) {
    for (const Difference& difference : differences(a, b)) {
      if (!difference.must_match) continue;
      return fmt::format("{}: A {}, B {} (must match)", difference.key, difference.a.empty() ? "none" : difference.a,
                         difference.b.empty() ? "none" : difference.b);
    }
    if (a.cell.ranks != b.cell.ranks) return "";
    const auto batch = [](const LaunchFigures& l) { return l.samples / std::max<int64_t>(l.steps, 1); };
    const std::string batches = must_match("samples a step", a, b, batch);
    return batches.empty() ? must_match("threads a rank", a, b, [](const LaunchFigures& l) { return l.threads; })
                           : batches;
  }

  std::vector<Difference> differences(const CellSnapshot& a, const CellSnapshot& b) {
    std::set<std::pair<std::string, std::string>> environments;
    for (const LaunchFigures& ours : a.launches) {
      for (const LaunchFigures& theirs : b.launches) environments.emplace(ours.environment, theirs.environment);
    }
    std::vector<Difference> all;
    for (const auto& [ours, theirs] : environments) {
      for (Difference found : environment_differences(json(ours), json(theirs), out_.vary)) {
        // Another system brings its own versions.
        if (out_.relation == Relation::systems && !found.key.starts_with("machine.")) found.must_match = false;
        if (std::find(all.begin(), all.end(), found) == all.end()) all.push_back(found);
        auto& told = out_.differences;
        if (std::find(told.begin(), told.end(), found) == told.end()) told.push_back(found);
      }
    }
    return all;
  }

  const std::string& json(const std::string& hash) {
    const auto known = environments_.find(hash);
    if (known != environments_.end()) return known->second;
    const auto row = store_.environment(hash);
    return environments_.emplace(hash, row ? row->json : "{}").first->second;
  }

  void weigh(const CellPair& pair, const Metric& metric, Verdict& verdict) {
    const bool one_campaign = out_.a.snapshot.campaign.id == out_.b.snapshot.campaign.id;
    const bool turns = one_campaign || take_turns(*pair.a, *pair.b);
    const bool speed = out_.relation == Relation::systems;
    const Samples both = speed ? samples(*pair.a, *pair.b, &LaunchFigures::samples_per_s, turns)
                               : samples(*pair.b, *pair.a, metric.figure, turns);
    verdict.took_turns = both.paired;
    // Between speeds the floor of a time has no meaning.
    const stats::Margin margin{metric.margin.relative, speed ? 0 : metric.margin.floor};
    verdict.contrast = stats::contrast(both.a, both.b, both.paired, margin, level_);
    if (!verdict.contrast.ratio.ok()) {
      verdict.word = "error", verdict.reason = stats::to_text(verdict.contrast.ratio.refusal);
    }
    if (metric.name == "time") time_cells_.push_back({both.a, both.b});
  }

  store::Store& store_;
  CampaignComparison& out_;
  double level_;
  std::map<std::string, std::string> environments_;
  std::vector<stats::Cell> time_cells_;
};

}  // namespace

void settle(std::vector<Verdict>& verdicts, Relation relation) {
  std::vector<stats::Contrast> family;
  for (const Verdict& verdict : verdicts) {
    if (verdict.weighed()) family.push_back(verdict.contrast);
  }
  stats::settle(family);
  auto next = family.begin();
  for (Verdict& verdict : verdicts) {
    if (!verdict.weighed()) continue;
    verdict.contrast = *next++;
    verdict.word = relation == Relation::builds ? stats::gate_word(verdict.contrast, stats::Better::lower)
                                                : stats::speed_word(verdict.contrast);
  }
}

Side load_side(store::Store& store, const std::string& selector) {
  const Selector parsed = parse_selector(selector);
  return {selector, load(store, resolve(store, parsed.campaign), parsed.filter)};
}

CampaignComparison compare(store::Store& store, Side a, Side b, std::vector<std::string> vary, double level) {
  CampaignComparison out;
  out.a = std::move(a), out.b = std::move(b), out.vary = std::move(vary);
  out.vary.insert(out.vary.end(), {"git", "lockstep"});
  const std::vector<CellPair> pairs = match(out.a.snapshot, out.b.snapshot, out.relation);
  Comparer comparer(store, out, level);
  std::vector<Verdict> begun;
  for (const CellPair& pair : pairs) begun.push_back(comparer.begin(pair));
  for (const Metric& metric : metrics(out.a.snapshot.campaign)) {
    // Of two systems only the speed is judged: what memory another runtime takes has no margin.
    if (metric.name != "time" && out.relation == Relation::systems) continue;
    for (size_t i = 0; i < pairs.size(); ++i) comparer.add(pairs[i], metric, begun[i]);
  }
  for (const CellPair& pair : pairs) comparer.add_losses(pair);
  out.geometric_mean = stats::geometric_mean_ratio(comparer.time_cells(), level);
  settle(out.verdicts, out.relation);
  const auto weighed = [](const Verdict& v) { return v.weighed(); };
  out.took_turns = std::any_of(out.verdicts.begin(), out.verdicts.end(), weighed) &&
                   std::all_of(out.verdicts.begin(), out.verdicts.end(),
                               [](const Verdict& v) { return !v.weighed() || v.took_turns; });
  return out;
}

int64_t count(const CampaignComparison& comparison, const std::string& metric, const std::string& word) {
  return std::count_if(comparison.verdicts.begin(), comparison.verdicts.end(),
                       [&](const Verdict& v) { return v.metric == metric && v.word == word; });
}

}  // namespace lockstep::snapshot
