#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/stats/estimate.h"
#include "results/store/rows.h"

namespace lockstep::snapshot {

/// A workload's quality target: reached once `metric` is at least, or at most, `value`.
struct QualityTarget {
  std::string metric;
  double value = 0;
  bool at_least = false;

  bool reached(double value_now) const { return at_least ? value_now >= value : value_now <= value; }
  bool better(double a, double b) const { return at_least ? a > b : a < b; }
  std::string text() const;  ///< "test_accuracy at least 0.97"
};

/// None where the cell's workload has no target.
std::optional<QualityTarget> target_of(const store::CellRow& cell);

/// What an evaluation found, and what the launch had cost by its end.
struct Evaluated {
  int64_t step = 0;     ///< steps that were done
  int64_t samples = 0;  ///< real ones of all ranks
  double time_s = 0;    ///< since the first step began, evaluations included; NaN where the stamps of steps lack
  double value = 0;
};

/// A launch's evaluations of a metric on the weights that it trains, by step.
std::vector<Evaluated> evaluated(const std::vector<store::EvaluationRow>& rows,
                                 const std::vector<store::SeriesRow>& series, const std::string& metric);

/// How far one launch came.
struct LaunchQuality {
  int64_t launch = 0, seed = 0;      ///< launch: its number in the campaign
  std::optional<Evaluated> reached;  ///< the first evaluation that reached the target
  double best = 0, last = 0;         ///< of all evaluations
};

/// How far a cell's launches of mode `converge` came. Those that missed the target count as infinite in the medians.
struct Quality {
  std::optional<QualityTarget> target;
  std::vector<LaunchQuality> launches;  ///< finished ones that evaluated the target's metric, by number
  stats::Estimate steps, samples, time_s, best;

  int64_t reached() const;
};

/// Fills in the medians.
void estimate(Quality& quality, double level);

/// None where nothing was evaluated.
std::optional<LaunchQuality> quality_of(const store::LaunchRow& launch, const QualityTarget& target,
                                        const std::vector<Evaluated>& evaluations);

}  // namespace lockstep::snapshot
