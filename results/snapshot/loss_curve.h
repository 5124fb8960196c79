#pragma once

#include <cstdint>
#include <vector>

#include "results/store/rows.h"

namespace lockstep::snapshot {

/// The loss after a step of the whole job.
struct LossPoint {
  int64_t step = 0;   ///< from 0, warm-up included
  double time_s = 0;  ///< from the first rank's first step to the end of this step on the last rank
  double loss = 0;    ///< mean over ranks by loss_weight
};

/// Loss against time of one launch.
struct LossCurve {
  int64_t launch = 0;  ///< its number in the campaign
  int64_t steps = 0;   ///< of which `points` are evenly spaced ones, the first and the last among them
  std::vector<LossPoint> points;
};

/// At most `most` points, picked and not smoothed. No points where a rank lacks a series or their lengths differ.
LossCurve loss_curve(const store::LaunchRow& launch, const std::vector<store::SeriesRow>& series, int64_t most = 200);

}  // namespace lockstep::snapshot
