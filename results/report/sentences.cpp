#include "results/report/sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "adapters/contract/plural.h"
#include "results/report/cell_words.h"
#include "results/report/compare.h"
#include "results/report/figures.h"
#include "results/stats/carry.h"

namespace lockstep::report {
namespace {

using snapshot::CampaignSnapshot;
using snapshot::Comparison;
using Kind = Comparison::Kind;

/// A comparison with its number in the list.
struct Member {
  const Comparison* comparison;
  size_t number;
  const Comparison* operator->() const { return comparison; }
  const Comparison& operator*() const { return *comparison; }
};
using Members = std::vector<Member>;

constexpr size_t kManyParagraphs = 4;  // of strategies: if there are more, a paragraph a workload is easier to read

constexpr std::array<const char*, 7> kWords{"faster", "slower", "gains", "loses", "equal", "cannot tell", "error"};

/// Paragraphs tell of one strategy on several workloads, or of several strategies on one workload.
enum class By : uint8_t { strategy, workload };

/// What the members of one paragraph have in common.
std::string label(const Comparison& c, By by) {
  if (by == By::workload) return fmt::format("{}, {} against {}", c.workload, c.a.system, c.b.strategy);

  switch (c.kind) {
    case Kind::systems:
      return fmt::format("1 rank, {} against {}", c.a.system, c.b.system);
    case Kind::ranks:
      if (c.a.ranks == 1) return fmt::format("1 rank, {} {} against {}", c.a.system, c.a.strategy, c.b.strategy);
      return fmt::format("{} ranks against 1, {} {}", c.a.ranks, c.a.system, strategy_of(c.a));
    case Kind::fabrics:
      return fmt::format("{} against {}, {} {}", c.a.fabric, c.b.fabric, c.a.system, c.a.strategy);
    case Kind::variants:
      return fmt::format("{} against {}", c.a.strategy, c.b.strategy);
  }
  return "";
}

std::string ratio_text(const Comparison& c) {
  const stats::Estimate& ratio = c.contrast.ratio;
  if (!ratio.ok()) return stats::to_text(ratio.refusal);
  if (!(ratio.level > 0)) return fmt::format("{:.2f}x ({})", ratio.value, no_interval(c.contrast.paired));
  return fmt::format("{:.2f}x [{:.2f}, {:.2f}]", ratio.value, ratio.low, ratio.high);
}

/// One margin for all members of a clause is said in it; a floor may have widened some.
std::string margin_text(const Members& members) {
  double widest = 0;
  for (const Member& c : members) widest = std::max(widest, c->contrast.margin);
  return fmt::format("{:.2g} %", widest * 100);
}

std::string needed_text(const Comparison& c) {
  if (!c.contrast.launches_needed) return "";
  return ", " + launches_text(*c.contrast.launches_needed, c.contrast.paired) + " would";
}

/// "faster on 3 of 3: gpt-austen:tiny 2.77x [2.71, 2.82], ..."
void add_clause(Sentence& to, const char* word, const Members& members, size_t all, By by) {
  const bool undecided = std::string_view(word) == "cannot tell";
  std::string what = word;
  if (what == "equal") what = "equal within " + margin_text(members);
  to.push_back({fmt::format("{} on {} of {}", what, members.size(), all), {}});
  // A long list of strategies of which nothing can be said is what the table above is.
  if (undecided && by == By::workload) return;
  const char* before = ": ";
  for (const Member& c : members) {
    const std::string which = by == By::workload ? strategy_of(c->a) : c->workload;
    to.push_back({std::exchange(before, ", "), {}});
    to.push_back({which + " " + ratio_text(*c), {c.number}});
    if (undecided) to.push_back({needed_text(*c), {}});
  }
}

/// A value, or a range over the workloads.
std::string range(const std::vector<double>& values, int decimals, const char* unit) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string from = fmt::format("{:.{}f}{}", *least, decimals, unit);
  const std::string to = fmt::format("{:.{}f}{}", *most, decimals, unit);
  return from == to ? from : from + " to " + to;
}

/// Against the same ranks without communication: what of a lost efficiency is the hardware's, and what is not.
std::string copies_text(const CampaignSnapshot& snapshot, const Comparison& c) {
  std::vector<double> copies, lost;
  each_cell(snapshot, [&](const snapshot::CellSnapshot& cell) {
    if (cell.cell.system != c.a.system || cell.cell.strategy != c.a.strategy) return;
    const auto ranks = static_cast<double>(cell.cell.ranks);
    if (cell.is_copies && cell.against_serial.estimate.ok()) {
      copies.push_back(cell.against_serial.estimate.value * ranks);
    }
    if (cell.cell.fabric == c.a.fabric && cell.against_copies.estimate.ok()) {
      // What was faster than its copies was so by chance: it has lost nothing.
      lost.push_back(std::max(0.0, 100 * (1 - cell.against_copies.estimate.value)));
    }
  });
  if (copies.empty() || lost.empty()) return "";
  return fmt::format("; copies without communication gain {}, so talking and waiting cost {}", range(copies, 2, "x"),
                     range(lost, 0, " %"));
}

Sentence paragraph(const CampaignSnapshot& snapshot, const Members& members, By by) {
  Sentence out{{label(*members[0], by), {}}};
  for (const Member& c : members) out.front().about.push_back(c.number);
  const char* before = ": ";
  for (const char* word : kWords) {
    Members its;
    for (const Member& c : members) {
      if (c->word == word) its.push_back(c);
    }
    if (its.empty()) continue;
    out.push_back({std::exchange(before, "; "), {}});
    add_clause(out, word, its, members.size(), by);
  }
  if (members[0]->kind == Kind::ranks && by == By::strategy) out.push_back({copies_text(snapshot, *members[0]), {}});
  return out;
}

/// How it was decided: the family, the margin, and the least p that so few launches can give.
std::string how(const std::vector<Comparison>& all) {
  double largest_q = 0;
  int64_t n = 0, moved = 0;
  bool paired = true;
  for (const Comparison& c : all) {
    n = std::max(n, c.contrast.ratio.n), paired &= c.contrast.paired;
    const bool decided = c.contrast.side == stats::Side::above || c.contrast.side == stats::Side::below;
    if (decided) largest_q = std::max(largest_q, c.contrast.q), ++moved;
  }
  std::string text = fmt::format("{}, {}: ", plural(static_cast<int64_t>(all.size()), "comparison"),
                                 paired ? "paired by block" : "not all paired");
  const double least = paired ? stats::smallest_p_paired(n) : stats::smallest_p_unpaired(n, n);
  if (moved > 0)
    text += fmt::format("{} beyond the margin with q at most {:.2g} (Benjamini-Hochberg); ", moved, largest_q);
  text += fmt::format("the least p that {} can give is {:.2g}",
                      paired ? plural(n, "pair") : plural(n, "launch", "launches") + " a side", least);
  if (least > 0.05) {
    text += fmt::format(", so nothing can be called faster or slower: -n {} could",
                        paired ? stats::launches_for_one_paired(1) : stats::launches_for_one_unpaired(1));
  }
  return text;
}

/// Cells that ran, but are in no comparison, since what they do is not what the others do.
std::string other_work(const CampaignSnapshot& snapshot) {
  std::vector<std::string> names;
  each_cell(snapshot, [&](const snapshot::CellSnapshot& cell) {
    if (cell.proof != store::ProofState::failed || cell.launches.empty()) return;
    names.push_back(fmt::format("{} {}", cell.cell.workload, name_of(cell)));
  });
  return names.empty() ? "" : fmt::format("not compared, as equal work FAILED: {}", fmt::join(names, ", "));
}

using Groups = std::vector<std::pair<std::string, Members>>;

Groups groups_of(const std::vector<Comparison>& comparisons, Kind kind, By by) {
  Groups groups;
  for (size_t i = 0; i < comparisons.size(); ++i) {
    const Comparison& c = comparisons[i];
    if (c.kind != kind) continue;
    const std::string its = label(c, by);
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == its; });
    if (found == groups.end()) found = groups.insert(groups.end(), {its, {}});
    found->second.push_back({&c, i});
  }
  return groups;
}

}  // namespace

std::string text_of(const Sentence& sentence) {
  std::string out;
  for (const Span& span : sentence) out += span.text;
  return out;
}

std::vector<std::string> sentences(const CampaignSnapshot& snapshot, const std::vector<Comparison>& comparisons) {
  std::vector<std::string> out;
  for (const Sentence& sentence : sentences_of(snapshot, comparisons)) out.push_back(text_of(sentence));
  return out;
}

std::vector<Sentence> sentences_of(const CampaignSnapshot& snapshot, const std::vector<Comparison>& comparisons) {
  std::vector<Sentence> out;
  for (const Kind kind : {Kind::systems, Kind::ranks, Kind::fabrics, Kind::variants}) {
    By by = By::strategy;
    Groups groups = groups_of(comparisons, kind, by);
    if (kind == Kind::ranks && groups.size() > kManyParagraphs) {
      Groups fewer = groups_of(comparisons, kind, By::workload);
      if (fewer.size() < groups.size()) groups = std::move(fewer), by = By::workload;
    }
    for (const auto& [its, members] : groups) out.push_back(paragraph(snapshot, members, by));
  }
  if (!out.empty()) out.push_back({{how(comparisons), {}}});
  if (const std::string text = other_work(snapshot); !text.empty()) out.push_back({{text, {}}});
  return out;
}

}  // namespace lockstep::report
