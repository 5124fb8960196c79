#include "results/snapshot/pairing.h"

#include <map>

#include "results/stats/ratio.h"

namespace lockstep::snapshot {

namespace {

std::map<int64_t, std::vector<double>> by_block(const CellSnapshot& cell, double LaunchFigures::*figure) {
  std::map<int64_t, std::vector<double>> out;
  for (const LaunchFigures& launch : cell.launches) out[launch.block].push_back(launch.*figure);
  return out;
}

std::vector<double> all_of(const CellSnapshot& cell, double LaunchFigures::*figure) {
  std::vector<double> out;
  for (const LaunchFigures& launch : cell.launches) out.push_back(launch.*figure);
  return out;
}

}  // namespace

Samples samples(const CellSnapshot& a, const CellSnapshot& b, double LaunchFigures::*figure) {
  Samples out;
  const auto blocks = by_block(b, figure);
  for (const auto& [block, ours] : by_block(a, figure)) {
    const auto theirs = blocks.find(block);
    if (theirs == blocks.end()) continue;
    for (size_t i = 0; i < std::min(ours.size(), theirs->second.size()); ++i) {
      out.a.push_back(ours[i]);
      out.b.push_back(theirs->second[i]);
    }
  }
  out.paired = !out.a.empty();
  return out.paired ? out : Samples{all_of(a, figure), all_of(b, figure), false};
}

Samples speeds(const CellSnapshot& a, const CellSnapshot& b) { return samples(a, b, &LaunchFigures::samples_per_s); }

stats::Estimate ratio_of(const Samples& samples, double level) {
  return samples.paired ? stats::ratio_paired(samples.a, samples.b, level) : stats::ratio(samples.a, samples.b, level);
}

}  // namespace lockstep::snapshot
