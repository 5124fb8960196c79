#pragma once

#include <string>
#include <vector>

#include "results/snapshot/snapshot.h"
#include "results/stats/contrast.h"

namespace lockstep::snapshot {

/// A figure of a launch that verdicts are made on. Lower is better for all of them.
struct Metric {
  std::string name;  ///< "time"
  std::string unit;  ///< "s"
  double LaunchFigures::*figure = nullptr;
  stats::Margin margin;  ///< `floor` in the unit
};

/// Time (steady time / steps) and peak memory, with the margins of the campaign's suite where it has a gate, else 3 %
/// of time, and 2 % and 4 MiB of memory.
std::vector<Metric> metrics(const store::CampaignRow& campaign);

}  // namespace lockstep::snapshot
