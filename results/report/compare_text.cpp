#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "adapters/contract/plural.h"
#include "results/report/cell_words.h"
#include "results/report/compare.h"
#include "results/report/figures.h"
#include "results/stats/carry.h"

namespace lockstep::report {
namespace {

using snapshot::CampaignComparison;
using snapshot::Relation;
using snapshot::Verdict;

constexpr size_t kCompareWidth = 100;
constexpr int kCompareLines = 8;
constexpr double kDayNs = 86400e9;
constexpr int64_t kSensible = 1000;  // launches: beyond it the number says only that the difference is at the margin

std::string paragraph(const std::string& text) { return wrap(text, kCompareWidth, kCompareLines); }

std::string day(int64_t utc_ns) { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(utc_ns / 1'000'000'000)); }

/// What of the build ran: versions.git, where exactly one was.
std::string git_of(const CampaignComparison& c, bool first) {
  for (const snapshot::Difference& d : c.differences) {
    if (c.relation == Relation::builds && d.key == "versions.git") return " git " + (first ? d.a : d.b);
  }
  return "";
}

std::string sides_text(const CampaignComparison& c) {
  const auto& a = c.a.snapshot.campaign;
  const auto& b = c.b.snapshot.campaign;
  return fmt::format("A {} {}{}   B {} {}{}", c.a.selector, day(a.started_utc_ns), git_of(c, true), c.b.selector,
                     day(b.started_utc_ns), git_of(c, false));
}

std::vector<std::string> environment_lines(const CampaignComparison& c) {
  std::vector<std::string> tested, must, told;
  for (const snapshot::Difference& d : c.differences) {
    // Other systems bring versions of their own.
    if (c.relation == Relation::systems && !d.key.starts_with("machine.")) continue;
    const std::string text = fmt::format("{} {} -> {}", d.key, d.a.empty() ? "none" : d.a, d.b.empty() ? "none" : d.b);
    const std::string last = d.key.substr(d.key.rfind('.') + 1);
    const bool under_test = std::find(c.vary.begin(), c.vary.end(), last) != c.vary.end();
    (under_test ? tested : d.must_match ? must : told).push_back(text);
  }
  if (tested.empty() && must.empty() && told.empty()) {
    return {c.relation == Relation::systems ? "one machine; each system has its own versions" : "environments equal"};
  }
  std::vector<std::string> out;
  if (!tested.empty()) out.push_back(fmt::format("under test: {}", fmt::join(tested, ", ")));
  if (!must.empty()) out.push_back(fmt::format("must match and does not: {}", fmt::join(must, ", ")));
  if (!told.empty()) out.push_back(fmt::format("also differs (need not match): {}", fmt::join(told, ", ")));
  return out;
}

std::string apart_text(const CampaignComparison& c) {
  const double ns = std::abs(static_cast<double>(c.b.snapshot.campaign.started_utc_ns) -
                             static_cast<double>(c.a.snapshot.campaign.started_utc_ns));
  if (ns >= 2 * kDayNs) return fmt::format("{:.0f} days apart", ns / kDayNs);
  if (ns >= 2 * kDayNs / 24) return fmt::format("{:.0f} hours apart", ns / kDayNs * 24);
  return fmt::format("{:.0f} min apart", ns / kDayNs * 1440);
}

bool one_system(const CampaignComparison& c) {
  std::set<std::string> systems;
  for (const Verdict& v : c.verdicts) {
    for (const store::CellRow* cell : {&v.cell_a, &v.cell_b}) {
      if (!cell->text.empty()) systems.insert(cell->system);
    }
  }
  return systems.size() == 1;
}

std::string levels_text(const CampaignComparison& c) {
  std::set<std::string> levels, counts;
  for (const Verdict& v : c.verdicts) {
    if (v.metric != "time" || !v.weighed()) continue;
    if (v.contrast.ratio.level > 0) levels.insert(percent(v.contrast.ratio.level));
    counts.insert(v.took_turns ? plural(v.contrast.ratio.n, "pair")
                               : fmt::format("{} v {}", v.a.n, plural(v.b.n, "launch", "launches")));
  }
  if (counts.empty()) return "nothing to compare";
  const std::string intervals = levels.empty() ? "no" : fmt::format("{}", fmt::join(levels, " to "));
  return fmt::format("{}, {} intervals", fmt::join(counts, ", "), intervals);
}

std::string metric_line(const CampaignComparison& c) {
  const double margin = snapshot::metrics(c.a.snapshot.campaign)[0].margin.relative;
  const char* what = c.relation == Relation::systems ? "speed: samples/s of A / of B, above 1 A is faster"
                                                     : "time: steady time / steps; B/A above 1 is slower";
  return fmt::format("{}; margin {:.2g} %; {}", what, margin * 100, levels_text(c));
}

std::string p_text(double p) { return std::isnan(p) ? "-" : fmt::format("{:.2g}", p); }

std::string interval_text(const stats::Estimate& e, bool paired = true) {
  if (e.ok() && !(e.level > 0)) return fmt::format("{:.3f} ({})", e.value, no_interval(paired));
  return e.ok() ? fmt::format("{:.3f} [{:.3f}, {:.3f}]", e.value, e.low, e.high) : "-";
}

/// Rows of the time metric, with notes numbered under them.
struct Rows {
  Columns columns;
  std::vector<std::string> notes;

  std::string with_note(const std::string& word, const std::string& note) {
    if (note.empty()) return word;
    auto known = std::find(notes.begin(), notes.end(), note);
    if (known == notes.end()) known = notes.insert(notes.end(), note);
    return fmt::format("{} ({})", word, known - notes.begin() + 1);
  }
};

/// Beyond the margin, but not with a q that so few launches can give.
std::string too_few(const Verdict& v) {
  const int64_t n = v.contrast.ratio.n;
  const double least = v.took_turns ? stats::smallest_p_paired(n) : stats::smallest_p_unpaired(n, n);
  return fmt::format("beyond the margin, but {} cannot give a smaller p than {:.2g}",
                     v.took_turns ? plural(n, "pair") : plural(n, "launch", "launches") + " a side", least);
}

std::string milliseconds(const stats::Estimate& e) { return e.ok() ? number(e.value * 1e3) : "-"; }

void add_row(Rows& rows, const Verdict& v, Relation relation, bool with_system) {
  const bool fine = v.weighed();
  std::vector<std::string> row{"  " + how_label(v.cell(), with_system)};
  if (relation == Relation::systems) row.push_back(how_label(v.cell_b, true));
  for (const std::string& text :
       {milliseconds(v.a), milliseconds(v.b), verdict_ratio(v), fine ? p_text(v.contrast.p) : "-",
        fine ? p_text(v.contrast.q) : "-", rows.with_note(verdict_words(v, relation), verdict_note(v))}) {
    row.push_back(text);
  }
  rows.columns.add(row);
}

std::string time_rows(const CampaignComparison& c, std::string& notes) {
  Rows rows;
  const bool with_system = !one_system(c);
  const bool systems = c.relation == Relation::systems;
  std::vector<std::string> names{systems ? "A" : "cell"};
  if (systems) names.emplace_back("B");
  for (const char* name : {"A ms", "B ms", systems ? "speed A/B" : "B/A", "p", "q", "verdict"})
    names.emplace_back(name);
  rows.columns.add(names);
  std::string workload;
  for (const Verdict& v : c.verdicts) {
    if (v.metric != "time") continue;
    if (v.cell().workload != workload) rows.columns.add_line(workload = v.cell().workload);
    add_row(rows, v, c.relation, with_system);
  }
  for (size_t i = 0; i < rows.notes.size(); ++i) notes += paragraph(fmt::format("({}) {}", i + 1, rows.notes[i]));
  return rows.columns.text(systems ? 2 : 1);
}

}  // namespace

const char* no_interval(bool paired) { return paired ? "one pair, no interval" : "one launch a side, no interval"; }

std::string verdict_words(const Verdict& verdict, Relation relation) {
  if (relation != Relation::systems) return verdict.word;
  if (verdict.word == "faster") return "A faster";
  return verdict.word == "slower" ? "B faster" : verdict.word;
}

namespace {

/// Who a side is: its system, where all its cells have one that the other side lacks; else its selector.
std::string side_name(const CampaignComparison& c, store::CellRow Verdict::*ours, store::CellRow Verdict::*theirs) {
  std::set<std::string> own, other;
  for (const Verdict& v : c.verdicts) {
    own.insert((v.*ours).system), other.insert((v.*theirs).system);
  }
  const std::string& selector = ours == &Verdict::cell_a ? c.a.selector : c.b.selector;
  return own.size() == 1 && !own.begin()->empty() && !other.contains(*own.begin()) ? *own.begin() : selector;
}

/// "A (reference) faster"
std::string counted_words(const CampaignComparison& c, const std::string& word) {
  if (word == "faster") return fmt::format("A ({}) faster", side_name(c, &Verdict::cell_a, &Verdict::cell_b));
  if (word == "slower") return fmt::format("B ({}) faster", side_name(c, &Verdict::cell_b, &Verdict::cell_a));
  return word;
}

}  // namespace

std::string verdict_counts(const CampaignComparison& c, const std::string& metric) {
  std::vector<std::string> parts;
  const auto all =
      std::count_if(c.verdicts.begin(), c.verdicts.end(), [&](const Verdict& v) { return v.metric == metric; });
  for (const char* word : {"regressed", "improved", "equivalent", "inconclusive", "faster", "slower", "equal",
                           "cannot tell", "incomparable", "unsupported", "error"}) {
    const int64_t n = snapshot::count(c, metric, word);
    if (n == 0) continue;
    parts.push_back(c.relation == Relation::systems ? fmt::format("{} in {} of {}", counted_words(c, word), n, all)
                                                    : fmt::format("{} {}", n, word));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

namespace {

std::string memory_text(const CampaignComparison& c) {
  const std::string words = verdict_counts(c, "peak_memory");
  if (c.relation == Relation::systems || words.empty()) return "";
  std::string out = "peak memory: " + words;
  const bool with_system = !one_system(c);
  for (const Verdict& v : c.verdicts) {
    if (v.metric != "peak_memory" || (v.word != "regressed" && v.word != "improved")) continue;
    out += fmt::format("; {} {} {:.0f} -> {:.0f} MiB", cell_label(v.cell_a, with_system), v.word, v.a.value / 1048576,
                       v.b.value / 1048576);
  }
  return out;
}

std::string loss_text(const CampaignComparison& c) {
  if (c.losses == 0) return "loss at the last step: no launch of the same seed on both sides";
  std::string text = fmt::format("loss at the last step: same bits in {} of {}", c.same_losses,
                                 plural(c.losses, "launch", "launches"));
  if (c.same_losses < c.losses) text += fmt::format("; largest difference {:.1e} of it", c.largest_loss_difference);
  return text;
}

std::string geometric_text(const CampaignComparison& c) {
  const stats::Estimate& e = c.geometric_mean;
  if (!e.ok()) return "";
  return fmt::format("geometric mean of the comparable: {} (BCa over launches, {})", interval_text(e),
                     percent(e.level));
}

std::string proof_text(const CampaignComparison& c) {
  std::map<store::ProofState, int> states;
  for (const snapshot::Side* side : {&c.a, &c.b}) {
    each_cell(side->snapshot, [&](const snapshot::CellSnapshot& cell) {
      if (!cell.is_copies) ++states[cell.proof];
    });
  }
  const int none = states[store::ProofState::none], failed = states[store::ProofState::failed];
  if (none + failed == 0) return "equal work held, both sides";
  return fmt::format("equal work: {} held, {} FAILED, {} not run",
                     plural(states[store::ProofState::held] + states[store::ProofState::reference], "cell"), failed,
                     none);
}

}  // namespace

std::string verdict_note(const Verdict& v) {
  if (!v.reason.empty()) return v.reason;
  const bool open = v.word == "inconclusive" || v.word == "cannot tell";
  if (!open) return "";
  if (!v.contrast.launches_needed) return too_few(v);
  return launches_text(*v.contrast.launches_needed, v.took_turns) + " would decide";
}

std::string verdict_ratio(const Verdict& v) {
  return v.weighed() ? interval_text(v.contrast.ratio, v.contrast.paired) : "-";
}

std::string how_label(const store::CellRow& cell, bool with_system) {
  return (with_system ? cell.system + " " : "") + strategy_of(cell);
}

std::string cell_label(const store::CellRow& cell, bool with_system) {
  return cell.workload + " " + how_label(cell, with_system);
}

std::string launches_text(int64_t needed, bool paired) {
  if (needed > kSensible) return fmt::format("more than {} {}", kSensible, paired ? "pairs" : "launches a side");
  return paired ? "about " + plural(needed, "pair")
                : fmt::format("about {} v {}", needed, plural(needed, "launch", "launches"));
}

std::vector<std::string> omissions(const CampaignComparison& c) {
  std::map<std::string, int64_t> unmeasured;
  for (const snapshot::Unmeasured& one : c.unmeasured) {
    ++unmeasured[(one.metric == "peak_memory" ? "peak memory" : one.metric) + ": " + one.why];
  }
  std::vector<std::string> out;
  for (const auto& [what, cells] : unmeasured) {
    out.push_back(fmt::format("{}, left out of {}", what, plural(cells, "cell")));
  }
  for (const snapshot::LeftOut& one : c.left_out) {
    out.push_back(fmt::format("left out: {} of {}, {} ({})", plural(one.launches, "launch", "launches"),
                              one.of_a ? c.a.selector : c.b.selector, one.cell, one.why));
  }
  return out;
}

std::string omissions_text(const CampaignComparison& c) {
  std::string out;
  for (const std::string& line : omissions(c)) out += paragraph(line);
  return out;
}

std::vector<std::string> comparison_head(const CampaignComparison& c) {
  std::vector<std::string> out{sides_text(c)};
  for (std::string& line : environment_lines(c)) out.push_back(std::move(line));
  out.push_back(proof_text(c));
  if (!c.took_turns) {
    out.push_back(
        fmt::format("CAUTION: not interleaved ({}): drift of the machine is inside every ratio", apart_text(c)));
  }
  out.push_back(metric_line(c));
  return out;
}

std::vector<std::string> comparison_foot(const CampaignComparison& c) {
  std::vector<std::string> out{geometric_text(c), memory_text(c)};
  for (std::string& line : omissions(c)) out.push_back(std::move(line));
  out.push_back(loss_text(c));
  out.push_back(fmt::format("p: beyond the margin, one-sided, {}; q: Benjamini-Hochberg over {}",
                            c.took_turns ? "signed-rank" : "Mann-Whitney (pairs: signed-rank)", c.verdicts.size()));
  std::erase(out, "");
  return out;
}

std::string compare_text(const CampaignComparison& c) {
  if (c.verdicts.empty()) return "no cell of A has a counterpart in B\n";
  std::string out, notes;
  for (const std::string& line : comparison_head(c)) out += paragraph(line);
  out += time_rows(c, notes) + notes;
  for (const std::string& line : comparison_foot(c)) out += paragraph(line);
  return out + verdict_counts(c, "time") + "\n";
}

}  // namespace lockstep::report
