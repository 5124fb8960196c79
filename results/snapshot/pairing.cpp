#include "results/snapshot/pairing.h"

#include <map>

#include "results/stats/ratio.h"

namespace lockstep::snapshot {

namespace {

std::map<int64_t, std::vector<double>> by_block(const CellSnapshot& cell) {
  std::map<int64_t, std::vector<double>> out;
  for (const LaunchFigures& launch : cell.launches) out[launch.block].push_back(launch.samples_per_s);
  return out;
}

std::vector<double> all_speeds(const CellSnapshot& cell) {
  std::vector<double> out;
  for (const LaunchFigures& launch : cell.launches) out.push_back(launch.samples_per_s);
  return out;
}

}  // namespace

Samples speeds(const CellSnapshot& a, const CellSnapshot& b) {
  Samples out;
  const auto blocks = by_block(b);
  for (const auto& [block, ours] : by_block(a)) {
    const auto theirs = blocks.find(block);
    if (theirs == blocks.end()) continue;
    for (size_t i = 0; i < std::min(ours.size(), theirs->second.size()); ++i) {
      out.a.push_back(ours[i]);
      out.b.push_back(theirs->second[i]);
    }
  }
  out.paired = !out.a.empty();
  return out.paired ? out : Samples{all_speeds(a), all_speeds(b), false};
}

stats::Estimate speed_ratio(const Samples& samples, double level) {
  return samples.paired ? stats::ratio_paired(samples.a, samples.b, level) : stats::ratio(samples.a, samples.b, level);
}

}  // namespace lockstep::snapshot
