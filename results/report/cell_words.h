#pragma once

#include <string>
#include <vector>

#include "results/snapshot/snapshot.h"

/// What every report calls the same.
namespace lockstep::report {

/// What a throughput counts a second. Steps where nobody knows how many samples one has.
enum class Counted : uint8_t { samples, tokens, steps };
Counted counted(const snapshot::CellSnapshot& cell);
/// What most of a workload's cells have in common: tokens where one has them.
Counted counted(const snapshot::WorkloadGroup& group);
/// "samples/s"
const char* unit_name(Counted counted);

/// The unit of a workload's throughputs: 1, 1e3 or 1e6 of what is counted, a second.
struct Unit {
  double size = 1;
  std::string name;
};
Unit unit_of(const snapshot::WorkloadGroup& group);

/// "quickstart: campaign @1"
std::string title_of(const snapshot::CampaignSnapshot& snapshot);
/// "gpt-austen:tiny  8 x 64 tokens a step, 160 steps, loss 5.55 -> 2.23 nat (spread in a block 3e-06)"
std::string title_of(const snapshot::WorkloadGroup& group);

/// "dp2 on threads"
std::string strategy_of(const store::CellRow& cell);
/// "reference dp2 on threads"
std::string name_of(const snapshot::CellSnapshot& cell);
/// "held", "FAILED", "is the ref.", "not run"
std::string equal_work(store::ProofState proof);

/// "19.8 ktokens/s"; empty where it is not known.
std::string rate_text(const snapshot::LaunchFigures& figures);

/// What the peak memory of a launch is: "peak PSS of all processes"; of a command (`lockstep exec`) "peak RSS of the
/// process tree", in which pages that several processes share count in each.
const char* memory_words(bool command);

/// Why a cell has fewer launches than planned, or a launch no figures: one line each, with the command that shows more
/// where there is a log.
struct Remark {
  std::string text, command;
};
std::vector<Remark> remarks_of(const snapshot::CellSnapshot& cell, int64_t campaign);

template <class Visit>
void each_cell(const snapshot::CampaignSnapshot& snapshot, Visit visit) {
  for (const snapshot::WorkloadGroup& group : snapshot.groups) {
    for (const snapshot::CellSnapshot& cell : group.cells) visit(cell);
  }
}

}  // namespace lockstep::report
