#include "results/snapshot/workload_group.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "results/stats/median.h"

namespace lockstep::snapshot {

namespace {

bool is_measured(const CellSnapshot& cell) { return !cell.is_copies; }

/// Cells that did other work train to another loss.
bool has_comparable_loss(const CellSnapshot& cell) {
  return is_measured(cell) && cell.proof != store::ProofState::failed;
}

/// What `take` finds in the launches of cells that `counts`.
template <class Counts, class Take>
std::vector<double> collect(const WorkloadGroup& group, Counts&& counts, Take&& take) {
  std::vector<double> out;
  for (const CellSnapshot& cell : group.cells) {
    if (!counts(cell)) continue;
    for (const LaunchFigures& launch : cell.launches) take(launch, out);
  }
  return out;
}

double median_loss(const WorkloadGroup& group, double LaunchFigures::*loss) {
  return median_of(collect(group, has_comparable_loss, [&](const LaunchFigures& launch, std::vector<double>& out) {
    if (launch.has_loss) out.push_back(launch.*loss);
  }));
}

double range_of(const std::vector<double>& values) {
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) return std::nan("");
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

double largest_spread(const WorkloadGroup& group) {
  std::map<int64_t, std::vector<double>> blocks;
  for (const CellSnapshot& cell : group.cells) {
    if (!has_comparable_loss(cell)) continue;
    for (const LaunchFigures& launch : cell.launches) {
      if (launch.has_loss) blocks[launch.block].push_back(launch.last_loss);
    }
  }
  double largest = std::nan("");
  for (const auto& [block, losses] : blocks) {
    if (losses.size() < 2) continue;
    const double range = range_of(losses);
    if (std::isnan(range)) return range;  // a loss that is not a number is no small spread
    largest = std::isnan(largest) ? range : std::max(largest, range);
  }
  return largest;
}

}  // namespace

double median_of(const std::vector<double>& values) { return stats::median(values).value; }

void summarize(WorkloadGroup& group) {
  using Values = std::vector<double>;
  const auto per_step = [](int64_t count, int64_t steps) {
    return static_cast<double>(count) / static_cast<double>(steps);
  };
  group.counts_steps =
      std::any_of(group.cells.begin(), group.cells.end(), [](const CellSnapshot& cell) { return cell.counts_steps; });
  group.batch_samples = median_of(collect(group, is_measured, [&](const LaunchFigures& launch, Values& out) {
    if (launch.problem.empty()) out.push_back(per_step(launch.samples, launch.steps));
  }));
  group.batch_tokens = median_of(collect(group, is_measured, [&](const LaunchFigures& launch, Values& out) {
    if (launch.problem.empty()) out.push_back(per_step(launch.tokens, launch.steps));
  }));
  group.first_loss = median_loss(group, &LaunchFigures::first_loss);
  group.last_loss = median_loss(group, &LaunchFigures::last_loss);
  group.largest_spread = largest_spread(group);
}

}  // namespace lockstep::snapshot
