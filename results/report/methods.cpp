#include "results/report/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "adapters/contract/plural.h"
#include "results/report/cell_words.h"
#include "results/report/figures.h"
#include "results/store/id.h"

namespace lockstep::report {
namespace {

using snapshot::CampaignSnapshot;
using snapshot::CellSnapshot;
using Numbers = std::set<int64_t>;

std::string range_text(const Numbers& numbers) {
  if (numbers.empty()) return "none";
  if (numbers.size() == 1) return fmt::format("{}", *numbers.begin());
  return fmt::format("{} to {}", *numbers.begin(), *numbers.rbegin());
}

std::string one_of(const std::set<std::string>& texts, const char* otherwise) {
  return texts.empty() ? otherwise : fmt::format("{}", fmt::join(texts, "; "));
}

int64_t count_cells(const CampaignSnapshot& s, const std::function<bool(const CellSnapshot&)>& has) {
  int64_t count = 0;
  each_cell(s, [&](const CellSnapshot& cell) { count += has(cell); });
  return count;
}

bool has_launches(const CellSnapshot& cell) { return !cell.launches.empty(); }

Numbers launches_a_cell(const CampaignSnapshot& s) {
  Numbers out;
  each_cell(s, [&](const CellSnapshot& cell) {
    if (has_launches(cell)) out.insert(cell.counts.finished);
  });
  return out;
}

Numbers warmups(const CampaignSnapshot& s) {
  Numbers out;
  for (const snapshot::WorkloadGroup& group : s.groups) out.insert(group.warmup);
  return out;
}

// Levels of one kind of estimate, "96.9 %" or "93.8 % to 96.9 %"; empty without any.
std::string levels_of(const CampaignSnapshot& s, const std::function<double(const CellSnapshot&)>& level) {
  std::set<double> levels;
  each_cell(s, [&](const CellSnapshot& cell) {
    if (has_launches(cell) && level(cell) > 0) levels.insert(level(cell));
  });
  if (levels.empty()) return "";
  const std::string low = percent(*levels.begin()), high = percent(*levels.rbegin());
  return low == high ? low : low + " to " + high;
}

std::string where(const CampaignSnapshot& s, const Environments& environments) {
  return fmt::format(
      "Campaign @{} of suite {} ran with Lockstep {} on {} ({}) from {}{}. Software: {}.", s.campaign.number,
      s.campaign.suite, s.campaign.version, one_of(environments.machines, "a machine that is not known"),
      one_of(environments.kernels, "system not known"), store::utc_text(s.campaign.started_utc_ns),
      s.campaign.ended_utc_ns > 0 ? " to " + store::utc_text(s.campaign.ended_utc_ns) : ", still running",
      one_of(environments.versions, "versions not known"));
}

std::string replication(const CampaignSnapshot& s) {
  const int64_t cells = count_cells(s, [](const CellSnapshot&) { return true; });
  const int64_t finished = count_cells(s, has_launches);
  std::string text = fmt::format(
      "{} of {} finished, n = {} launches each, every launch a fresh start of all processes; launches of different "
      "cells "
      "were {} in {}.",
      finished, plural(cells, "cell"), range_text(launches_a_cell(s)),
      s.blocks > 1 ? "interleaved" : "run one after the other", plural(s.blocks, "block"));
  const int64_t lost = s.counts.failed + s.counts.interrupted;
  if (lost > 0)
    text += fmt::format(" {} failed or {} interrupted and {} left out.", plural(lost, "launch"),
                        lost == 1 ? "was" : "were", lost == 1 ? "is" : "are");
  return text;
}

std::string estimates(const CampaignSnapshot& s) {
  std::string text = "Values are medians over launches";
  const std::string medians = levels_of(s, [](const CellSnapshot& c) { return c.throughput.level; });
  text += medians.empty()
              ? ", without intervals: one launch a cell has none."
              : fmt::format(" with distribution-free intervals between order statistics, level {}.", medians);
  const auto level = [](const CellSnapshot& c) {
    return c.against_serial.base.empty() ? 0 : c.against_serial.estimate.level;
  };
  const std::string ratios = levels_of(s, level);
  if (ratios.empty()) return text;
  const bool paired = count_cells(s, [](const CellSnapshot& c) { return c.against_serial.paired; }) > 0;
  text += fmt::format(
      " Efficiency is throughput over ranks x that of the serial cell of the same system and workload, the "
      "Hodges-Lehmann "
      "ratio on logarithms with the exact {} interval, level {}.",
      paired ? "signed-rank (launches paired inside blocks)" : "Mann-Whitney", ratios);
  const bool copies = count_cells(s, [](const CellSnapshot& c) { return !c.against_copies.base.empty(); }) > 0;
  if (copies) text += " Against copies: over the same ranks at once on fabric null, without communication.";
  return text;
}

std::string verdicts(const std::vector<snapshot::Comparison>& comparisons) {
  if (comparisons.empty()) return "Nothing is compared.";
  double margin = 0;
  for (const snapshot::Comparison& one : comparisons) margin = std::max(margin, one.contrast.margin);
  return fmt::format(
      "{} of speed are one family: a verdict needs an interval beyond a margin of {} and q <= 0.05 (Benjamini-Hochberg "
      "over one-sided exact p beyond the margin).",
      plural(static_cast<int64_t>(comparisons.size()), "comparison"), percent(margin));
}

std::string equal_work_text(const CampaignSnapshot& s) {
  const auto with = [&](store::ProofState state) {
    return count_cells(s, [&](const CellSnapshot& c) { return has_launches(c) && c.proof == state; });
  };
  return fmt::format(
      "The proof of equal work against the serial reference held in {}, failed in {} and was not made for {}.",
      plural(with(store::ProofState::held), "cell"), with(store::ProofState::failed), with(store::ProofState::none));
}

std::string scaling_of(const CampaignSnapshot& s) {
  const auto weak = [](const CellSnapshot& c) { return c.cell.workload.find("scaling=weak") != std::string::npos; };
  if (count_cells(s, weak) == 0) return "strong: the batch is global, and ranks share it";
  const bool all = count_cells(s, [&](const CellSnapshot& c) { return !weak(c); }) == 0;
  return all ? "weak: the batch grows with the ranks" : "strong, and weak where a workload's text says scaling=weak";
}

}  // namespace

std::vector<Fact> setup_of(const CampaignSnapshot& s, const Environments& environments) {
  const bool parallel = count_cells(s, [](const CellSnapshot& c) { return c.cell.ranks > 1; }) > 0;
  std::vector<Fact> out{{"suite", fmt::format("{} (campaign @{}, {})", s.campaign.suite, s.campaign.number,
                                              store::to_text(s.campaign.status))},
                        {"command", s.campaign.command_line},
                        {"machine", one_of(environments.machines, "not known")},
                        {"system", one_of(environments.kernels, "not known")},
                        {"versions", one_of(environments.versions, "not known")},
                        {"started", store::utc_text(s.campaign.started_utc_ns)},
                        {"launches a cell", range_text(launches_a_cell(s))},
                        {"blocks", fmt::format("{}{}", s.blocks, s.blocks > 1 ? ", cells interleaved" : "")},
                        {"warm-up", fmt::format("{} steps, left out of the timed region", range_text(warmups(s)))}};
  if (parallel) out.push_back({"scaling", scaling_of(s)});
  std::erase_if(out, [](const Fact& fact) { return fact.text.empty(); });
  return out;
}

std::string parallel_time_of(const CampaignSnapshot& s) {
  return fmt::format(
      "Time is wall time on each rank's monotonic clock from the begin of its first step after warm-up ({} steps) to "
      "the "
      "end of its last one; the longest rank's counts for all, and throughput is the real samples of all ranks over "
      "it.",
      range_text(warmups(s)));
}

std::string methods_of(const CampaignSnapshot& s, const Environments& environments,
                       const std::vector<snapshot::Comparison>& comparisons) {
  return fmt::format("{} {} {} {} {} {}", where(s, environments), replication(s), parallel_time_of(s), estimates(s),
                     verdicts(comparisons), equal_work_text(s));
}

}  // namespace lockstep::report
