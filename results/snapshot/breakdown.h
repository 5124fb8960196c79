#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiler/activity/activity.h"

namespace lockstep::snapshot {

/// Where the time of a rank went: each nanosecond from its first recorded activity to its last has exactly one class,
/// so that the five add up to the length of the recording. Nanoseconds, over all recorded steps.
struct RankBreakdown {
  int64_t rank = 0, steps = 0;
  int64_t compute_ns = 0;   ///< forward, backward, recomputation, optimizer
  int64_t data_ns = 0;      ///< loading of samples
  int64_t waiting_ns = 0;   ///< nothing to do: for a peer, or in a pipeline's bubble
  int64_t transfer_ns = 0;  ///< communication that nothing hides
  int64_t other_ns = 0;     ///< none of these

  int64_t total_ns() const { return compute_ns + data_ns + waiting_ns + transfer_ns + other_ns; }
  /// Seconds a step of a class's time; NaN without a step.
  double s_per_step(int64_t class_ns) const;
};

/// Of one recorded launch; empty where the cell has none, and then `why_not` may say why.
struct Breakdown {
  int64_t launch = 0;   ///< its number in the campaign
  int64_t dropped = 0;  ///< records that did not fit: their time counts as other
  std::vector<RankBreakdown> ranks;
  std::string why_not;
};

/// From measured traces (others are left out), by rank. Work on a rank's own tracks goes before everything; only while
/// nothing of it goes on is the track "communication" asked whether the rank waits for a peer or transfers.
std::vector<RankBreakdown> breakdown(std::span<const activity::Trace> traces);

}  // namespace lockstep::snapshot
