#include "results/snapshot/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>

#include "adapters/contract/plural.h"
#include "results/snapshot/matching.h"
#include "results/snapshot/pairing.h"
#include "results/stats/geometric_mean.h"
#include "results/stats/median.h"

namespace lockstep::snapshot {

namespace {

/// Why a side's launches cannot be taken, "" where they can. A side without measurements is never a pass.
std::string fault(const CellSnapshot* cell, const char* side) {
  if (cell == nullptr) return fmt::format("{} has no such cell", side);
  if (cell->launches.empty()) {
    if (cell->reasons.empty()) return fmt::format("{}: no launch of it", side);
    const Reason& first = cell->reasons.front();
    return fmt::format("{}: {} {} ({})", side, store::to_text(first.status), first.kind, first.message);
  }
  if (cell->counts.failed > 0)
    return fmt::format("{}: {} failed", side, plural(cell->counts.failed, "launch", "launches"));
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

/// Nothing ran, and nothing could have.
bool is_unsupported(const CellSnapshot* cell) {
  const auto unsupported = [](const Reason& reason) {
    return reason.status == store::LaunchStatus::skipped && reason.kind == "unsupported";
  };
  return cell != nullptr && cell->launches.empty() && !cell->reasons.empty() &&
         std::all_of(cell->reasons.begin(), cell->reasons.end(), unsupported);
}

bool measured(const CellSnapshot* cell, const Metric& metric) {
  if (cell == nullptr) return false;
  const std::vector<double> values = column(*cell, metric.figure);
  return std::any_of(values.begin(), values.end(), [](double value) { return !std::isnan(value); });
}

/// Why a metric that not every system measures is left out of a cell; "" where it is not. A side that measured it
/// before and does so no longer is no reason.
std::string left_unmeasured(const CellPair& pair, const Metric& metric) {
  if (metric.name == "time" || measured(pair.a, metric)) return "";
  const bool b = measured(pair.b, metric);
  const bool ran = (pair.a != nullptr && !pair.a->launches.empty()) || (pair.b != nullptr && !pair.b->launches.empty());
  if (b && pair.a != nullptr && !pair.a->launches.empty()) return "A did not measure it";
  return !b && ran ? "nobody measured it" : "";
}

class Comparer {
 public:
  Comparer(store::Store& store, CampaignComparison& out, double level)
      : out_(out), setups_(store, out.vary, out.relation == Relation::systems), level_(level) {}

  /// What holds for every metric of a pair: its cells, and why it cannot be weighed. The pair keeps the launches that
  /// can be compared.
  Verdict begin(CellPair& pair) {
    Verdict verdict;
    if (pair.a != nullptr) verdict.cell_a = pair.a->cell;
    if (pair.b != nullptr) verdict.cell_b = pair.b->cell;
    if (is_unsupported(pair.a) && is_unsupported(pair.b)) {
      verdict.word = "unsupported", verdict.reason = "on both sides: " + pair.b->reasons.front().message;
      return verdict;
    }
    verdict.reason = faults(pair);
    if (!verdict.reason.empty()) {
      verdict.word = "error";
      return verdict;
    }
    const std::optional<Difference> found = out_.relation == Relation::builds ? keep_alike(pair) : mismatch(pair);
    if (found) {
      verdict.word = "incomparable";
      verdict.reason = fmt::format("{}: A {}, B {} (must match)", found->key, found->a.empty() ? "none" : found->a,
                                   found->b.empty() ? "none" : found->b);
    }
    tell_differences(pair);
    return verdict;
  }

  void add(const CellPair& pair, const Metric& metric, Verdict verdict) {
    if (const std::string why = left_unmeasured(pair, metric); !why.empty()) {
      out_.unmeasured.push_back({verdict.cell().text, metric.name, why});
      return;
    }
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
  std::optional<Difference> keep_alike(CellPair& pair) {
    CellSnapshot &a = kept_.emplace_back(*pair.a), &b = kept_.emplace_back(*pair.b);
    pair = {&a, &b};
    return setups_.keep_alike(a, b, out_.left_out);
  }

  std::optional<Difference> mismatch(const CellPair& pair) {
    for (const LaunchFigures& ours : pair.a->launches) {
      for (const LaunchFigures& theirs : pair.b->launches) {
        if (const auto found = setups_.mismatch(*pair.a, ours, *pair.b, theirs)) return found;
      }
    }
    return std::nullopt;
  }

  void tell_differences(const CellPair& pair) {
    auto& told = out_.differences;
    for (const LaunchFigures& ours : pair.a->launches) {
      for (const LaunchFigures& theirs : pair.b->launches) {
        for (const Difference& found : setups_.differences(ours, theirs)) {
          if (std::find(told.begin(), told.end(), found) == told.end()) told.push_back(found);
        }
      }
    }
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
      if (!measured(pair.b, metric)) verdict.reason = "B did not measure it";
    }
    if (metric.name == "time") time_cells_.push_back({both.a, both.b});
  }

  CampaignComparison& out_;
  Setups setups_;
  double level_;
  std::deque<CellSnapshot> kept_;  ///< cells with the launches that can be compared
  std::vector<stats::Cell> time_cells_;
};

CampaignComparison compared(store::Store& store, Side a, Side b, std::vector<std::string> vary, Relation relation,
                            double level) {
  CampaignComparison out;
  out.a = std::move(a), out.b = std::move(b), out.vary = std::move(vary), out.relation = relation;
  out.vary.insert(out.vary.end(), {"git", "lockstep", "code"});
  std::vector<CellPair> pairs = relation == Relation::builds ? equal_cells(out.a.snapshot, out.b.snapshot)
                                                             : related_cells(out.a.snapshot, out.b.snapshot);
  Comparer comparer(store, out, level);
  std::vector<Verdict> begun;
  for (CellPair& pair : pairs) begun.push_back(comparer.begin(pair));
  for (const Metric& metric : metrics(out.a.snapshot.campaign)) {
    // Of two systems only the speed is judged: what memory another runtime takes has no margin.
    if (metric.name != "time" && relation == Relation::systems) continue;
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

std::vector<std::string> texts_of(const CampaignSnapshot& snapshot) {
  std::vector<std::string> out;
  for (const CellSnapshot* cell : cells_of(snapshot)) out.push_back(cell->cell.text);
  return out;
}

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
  const std::vector<CellPair> equal = equal_cells(a.snapshot, b.snapshot);
  const bool common = std::any_of(equal.begin(), equal.end(), [](const CellPair& p) { return p.a && p.b; });
  const Relation relation = common ? Relation::builds : Relation::systems;
  return compared(store, std::move(a), std::move(b), std::move(vary), relation, level);
}

CampaignComparison compare_builds(store::Store& store, Side a, Side b, std::vector<std::string> vary, double level) {
  require_common_cell(a.selector, texts_of(a.snapshot), b.selector, texts_of(b.snapshot));
  return compared(store, std::move(a), std::move(b), std::move(vary), Relation::builds, level);
}

int64_t count(const CampaignComparison& comparison, const std::string& metric, const std::string& word) {
  return std::count_if(comparison.verdicts.begin(), comparison.verdicts.end(),
                       [&](const Verdict& v) { return v.metric == metric && v.word == word; });
}

}  // namespace lockstep::snapshot
