#include "results/report/cell_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "adapters/contract/plural.h"
#include "results/report/figures.h"

namespace lockstep::report {

using snapshot::CellSnapshot;
using snapshot::WorkloadGroup;
using store::ProofState;

namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string how_many(const snapshot::Reason& reason, const CellSnapshot& cell) {
  if (reason.status == store::LaunchStatus::skipped) return "skipped";
  const char* word = reason.status == store::LaunchStatus::failed ? "FAILED" : store::to_text(reason.status);
  return fmt::format("{} {} of {}", word, reason.count, cell.counts.total());
}

// The mean over steps, of which the last of an epoch may be smaller; empty where nobody knows.
std::string batch_text(const WorkloadGroup& group) {
  if (group.counts_steps)
    return group.batch_tokens > 0 ? fmt::format("{:.0f} tokens a step, ", group.batch_tokens) : "";
  if (!(group.batch_tokens > 0)) return fmt::format("{:.0f} samples a step, ", group.batch_samples);
  return fmt::format("{:.0f} x {:.0f} tokens a step, ", group.batch_samples, group.batch_tokens / group.batch_samples);
}

}  // namespace

Counted counted(const CellSnapshot& cell) {
  return cell.tokens ? Counted::tokens : cell.counts_steps ? Counted::steps : Counted::samples;
}

Counted counted(const WorkloadGroup& group) {
  const bool tokens = std::any_of(group.cells.begin(), group.cells.end(), [](const auto& c) { return c.tokens; });
  return tokens ? Counted::tokens : group.counts_steps ? Counted::steps : Counted::samples;
}

const char* unit_name(Counted counted) {
  return counted == Counted::tokens ? "tokens/s" : counted == Counted::steps ? "steps/s" : "samples/s";
}

Unit unit_of(const WorkloadGroup& group) {
  double largest = 0;
  for (const CellSnapshot& cell : group.cells) {
    if (cell.throughput.ok()) largest = std::max(largest, cell.throughput.value);
  }
  const std::string what = unit_name(counted(group));
  if (largest >= 1e6) return {1e6, "M" + what};
  if (largest >= 1e3) return {1e3, "k" + what};
  return {1, what};
}

std::string rate_text(const snapshot::LaunchFigures& figures) {
  const bool tokens = figures.tokens_per_s > 0;
  const double rate = tokens ? figures.tokens_per_s : figures.samples_per_s;
  if (!(rate > 0)) return "";
  const char* unit = tokens ? "tokens" : figures.counts_steps ? "steps" : "samples";
  if (rate >= 1e6) return fmt::format("{:.3g} M{}/s", rate / 1e6, unit);
  if (rate >= 1e3) return fmt::format("{:.1f} k{}/s", rate / 1e3, unit);
  return fmt::format("{:.3g} {}/s", rate, unit);
}

const char* memory_words(bool command) {
  return command ? "peak RSS of the process tree" : "peak PSS of all processes";
}

std::string title_of(const snapshot::CampaignSnapshot& snapshot) {
  return fmt::format("{}: campaign @{}", snapshot.campaign.suite, snapshot.campaign.number);
}

std::string title_of(const WorkloadGroup& group) {
  std::string line = group.workload;
  if (group.batch_samples > 0) {
    line += "  " + batch_text(group) + plural(group.steps, "step");
  }
  if (std::isfinite(group.first_loss) && std::isfinite(group.last_loss) && group.batch_samples > 0) {
    line += fmt::format(", loss {} -> {} nat", number(group.first_loss), number(group.last_loss));
    if (!std::isnan(group.largest_spread)) {
      line += fmt::format(" (spread in a block {:.1g})", group.largest_spread);
    }
  }
  return line;
}

std::string strategy_of(const store::CellRow& cell) {
  return cell.strategy + (cell.fabric.empty() ? "" : " on " + cell.fabric);
}

std::string name_of(const CellSnapshot& cell) { return cell.cell.system + " " + strategy_of(cell.cell); }

std::string equal_work(store::ProofState proof) {
  switch (proof) {
    case ProofState::held:
      return "held";
    case ProofState::failed:
      return "FAILED";
    case ProofState::reference:
      return "is the ref.";
    case ProofState::none:
      break;
  }
  return "not run";
}

std::vector<Remark> remarks_of(const CellSnapshot& cell, int64_t campaign) {
  std::vector<Remark> out;
  for (const snapshot::Reason& reason : cell.reasons) {
    const bool started = reason.status != store::LaunchStatus::skipped;
    out.push_back({fmt::format("{}: {}, {}", how_many(reason, cell), reason.kind, first_line(reason.message)),
                   started ? fmt::format("lockstep show @{}.{} --log all -20", campaign, reason.launch) : ""});
  }
  for (const snapshot::LaunchFigures& launch : cell.launches) {
    if (!launch.problem.empty())
      out.push_back({fmt::format("@{}.{}: {}", campaign, launch.number, launch.problem), ""});
  }
  if (cell.proof == ProofState::failed) out.push_back({"equal work FAILED: " + cell.proof_reason, ""});
  return out;
}

}  // namespace lockstep::report
