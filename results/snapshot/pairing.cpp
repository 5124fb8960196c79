#include "results/snapshot/pairing.h"

#include <algorithm>
#include <map>
#include <set>

#include "results/stats/ratio.h"

namespace lockstep::snapshot {

namespace {

using Figure = double LaunchFigures::*;

std::map<int64_t, std::vector<double>> by_block(const CellSnapshot& cell, Figure figure) {
  std::map<int64_t, std::vector<double>> out;
  for (const LaunchFigures& launch : cell.launches) out[launch.block].push_back(launch.*figure);
  return out;
}

}  // namespace

std::vector<double> column(const CellSnapshot& cell, Figure figure) {
  std::vector<double> out;
  for (const LaunchFigures& launch : cell.launches) out.push_back(launch.*figure);
  return out;
}

Samples samples(const CellSnapshot& a, const CellSnapshot& b, Figure figure, bool in_blocks) {
  Samples out;
  const auto blocks = in_blocks ? by_block(b, figure) : std::map<int64_t, std::vector<double>>();
  for (const auto& [block, ours] : by_block(a, figure)) {
    const auto theirs = blocks.find(block);
    if (theirs == blocks.end()) continue;
    for (size_t i = 0; i < std::min(ours.size(), theirs->second.size()); ++i) {
      out.a.push_back(ours[i]);
      out.b.push_back(theirs->second[i]);
    }
  }
  out.paired = !out.a.empty();
  return out.paired ? out : Samples{column(a, figure), column(b, figure), false};
}

bool take_turns(const CellSnapshot& a, const CellSnapshot& b) {
  std::vector<std::pair<int64_t, int64_t>> starts;  // when, which block
  std::set<int64_t> ours, common;
  for (const LaunchFigures& launch : a.launches) {
    starts.emplace_back(launch.started_utc_ns, launch.block), ours.insert(launch.block);
  }
  for (const LaunchFigures& launch : b.launches) {
    starts.emplace_back(launch.started_utc_ns, launch.block);
    if (ours.contains(launch.block)) common.insert(launch.block);
  }
  std::sort(starts.begin(), starts.end());
  const auto by_number = [](const auto& x, const auto& y) { return x.second < y.second; };
  return common.size() > 1 && std::is_sorted(starts.begin(), starts.end(), by_number);
}

stats::Estimate ratio_of(const Samples& samples, double level) {
  return samples.paired ? stats::ratio_paired(samples.a, samples.b, level) : stats::ratio(samples.a, samples.b, level);
}

}  // namespace lockstep::snapshot
