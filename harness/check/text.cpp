#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "adapters/contract/plural.h"
#include "harness/check/check.h"
#include "harness/exit_code.h"
#include "results/report/cell_words.h"
#include "results/report/compare.h"
#include "results/report/figures.h"

namespace lockstep::check {
namespace {

constexpr double kMinute = 60;
constexpr size_t kCheckWidth = 100;
constexpr int kCheckLines = 6;

std::string shown(const std::string& word) { return word == "regressed" ? "REGRESSED" : word; }

std::string value_text(const stats::Estimate& e, const std::string& metric) {
  if (!e.ok()) return "-";
  return report::number(metric == "time" ? e.value * 1e3 : e.value / 1048576);
}

std::string launches_text(const Item& item) {
  const snapshot::Verdict& v = item.verdict;
  return item.confirmed ? plural(v.contrast.ratio.n, "pair") : fmt::format("{} v {}", v.a.n, v.b.n);
}

std::string rows_of(const std::vector<Item>& items, const std::string& metric) {
  const bool any = std::any_of(items.begin(), items.end(), [&](const Item& i) { return i.verdict.metric == metric; });
  if (!any) return "";
  report::Columns columns;
  columns.add({"cell", metric == "time" ? "old ms" : "old MiB", metric == "time" ? "new ms" : "new MiB",
               "new/old [interval]", "n", "p", "q", "verdict"});
  std::string workload;
  for (const Item& item : items) {
    const snapshot::Verdict& v = item.verdict;
    if (v.metric != metric) continue;
    if (v.cell().workload != workload) columns.add_line(workload = v.cell().workload);
    const bool fine = v.weighed();
    columns.add({"  " + report::how_label(v.cell(), true), value_text(v.a, metric), value_text(v.b, metric),
                 report::verdict_ratio(v), launches_text(item), fine ? fmt::format("{:.2g}", v.contrast.p) : "-",
                 fine ? fmt::format("{:.2g}", v.contrast.q) : "-", shown(v.word)});
  }
  return columns.text(1);
}

/// One line for each cell that is not decided, with what would decide it.
std::string open_text(const std::vector<Item>& items) {
  std::string out;
  for (const Item& item : items) {
    const snapshot::Verdict& v = item.verdict;
    const std::string name = fmt::format("{} {}: {}", v.cell().text, v.metric, v.word);
    if (v.word == "error" || v.word == "incomparable" || v.word == "suspicious" || v.word == "unsupported") {
      out += report::wrap(name + ": " + v.reason, kCheckWidth, kCheckLines);
    } else if (v.word == "inconclusive" && v.contrast.launches_needed) {
      out +=
          report::wrap(name + ": " + report::launches_text(*v.contrast.launches_needed, v.took_turns) + " would decide",
                       kCheckWidth, kCheckLines);
    }
  }
  return out;
}

const snapshot::CellSnapshot* find_cell(const snapshot::CampaignSnapshot& s, const std::string& text) {
  const snapshot::CellSnapshot* found = nullptr;
  report::each_cell(s, [&](const snapshot::CellSnapshot& cell) {
    if (cell.cell.text == text) found = &cell;
  });
  return found;
}

/// Efficiency, bytes and messages of the regressed cells, old and new: what moved besides the time.
std::string beside_text(const Result& result) {
  const snapshot::CampaignComparison& from = result.confirmation ? *result.confirmation : result.screen;
  std::string out;
  for (const Item& item : result.items) {
    const snapshot::Verdict& v = item.verdict;
    if (v.word != "regressed" || v.metric != "time" || v.cell_a.ranks == 1) continue;
    const auto* a = find_cell(from.a.snapshot, v.cell_a.text);
    const auto* b = find_cell(from.b.snapshot, v.cell_a.text);
    const auto* stored_a = find_cell(result.screen.a.snapshot, v.cell_a.text);
    const auto* stored_b = find_cell(result.screen.b.snapshot, v.cell_a.text);
    if (stored_a != nullptr && stored_b != nullptr && stored_a->against_serial.estimate.ok() &&
        stored_b->against_serial.estimate.ok()) {
      out += fmt::format("  strong efficiency of {}: {} -> {}\n", report::cell_label(v.cell_a, true),
                         report::with_interval(stored_a->against_serial.estimate),
                         report::with_interval(stored_b->against_serial.estimate));
    }
    if (a == nullptr || b == nullptr) continue;
    out += fmt::format("  counted per rank and step: sent {} kB -> {} kB; messages {} -> {}{}\n",
                       report::number(a->bytes_sent / 1000), report::number(b->bytes_sent / 1000),
                       report::number(a->messages), report::number(b->messages),
                       a->messages != b->messages || a->bytes_sent != b->bytes_sent ? " (changed)" : "");
  }
  return out;
}

std::string budget_text(const Result& r) {
  if (r.over_budget.empty()) return "";
  const double all = std::max(1.0, std::ceil(r.needed_s / kMinute));
  return report::wrap(
      fmt::format("no fresh pairs within the budget of {:.3g} min (all need about {:.0f}: --budget {:.0f}) for: {}",
                  r.budget_s / kMinute, all, all, fmt::join(r.over_budget, ", ")),
      kCheckWidth, kCheckLines);
}

std::string name_or(const std::string& revision) { return revision.empty() ? "unknown" : revision; }

}  // namespace

std::string to_text(const Result& r, int code) {
  const Counts n = count(r.items);
  const double margin = snapshot::metrics(r.screen.a.snapshot.campaign)[0].margin.relative;
  std::string out = fmt::format("check {}: git {} against {} = {}\n", r.suite, name_or(r.build), r.screen.a.selector,
                                name_or(r.baseline_build));
  out += fmt::format("A/A noise floor: not calibrated; margin {:.2g} %, q 0.05, {} verdicts\n", margin * 100,
                     r.items.size());
  out += fmt::format("screen: stored launches of the baseline (the newest {} a cell) v @{}", kPool,
                     r.screen.b.snapshot.campaign.number);
  out += r.confirmation
             ? fmt::format("; confirm: fresh ABBA pairs of both builds, @{} and @{}\n",
                           r.confirmation->a.snapshot.campaign.number, r.confirmation->b.snapshot.campaign.number)
         : !r.over_budget.empty() ? "; the budget allows no fresh pairs\n"
         : n.suspicious > 0       ? "; nothing to confirm with\n"
                                  : "; nothing had to be confirmed\n";
  out += rows_of(r.items, "time") + rows_of(r.items, "peak_memory");
  for (const std::string& line : r.regressed_where) out += report::wrap("scaling: " + line, kCheckWidth, kCheckLines);
  out += beside_text(r) + open_text(r.items) + report::omissions_text(r.screen);
  if (r.confirmation) out += report::omissions_text(*r.confirmation);
  out += budget_text(r);
  if (n.suspicious > 0 && !r.can_confirm) {
    out += r.has_baseline_build
               ? "settle it: lockstep check without --no-run\n"
               : "settle it: lockstep check with --baseline-build DIR, the folder of the baseline's build\n";
  }
  return out + fmt::format(
                   "{}: {} regressed, {} improved, {} equivalent, {} inconclusive, {} suspicious, "
                   "{} incomparable, {} unsupported, {} errors; exit {}\n",
                   code == kFine           ? "ok"
                   : code == kInconclusive ? "NOT DECIDED"
                                           : "FAILED",
                   n.regressed, n.improved, n.equivalent, n.inconclusive, n.suspicious, n.incomparable, n.unsupported,
                   n.errors, code);
}

}  // namespace lockstep::check
