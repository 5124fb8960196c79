#include "results/snapshot/loss_curve.h"

#include <algorithm>
#include <limits>

#include "results/snapshot/series_columns.h"

namespace lockstep::snapshot {

namespace {

using Stamps = std::vector<int64_t>;

// A rank's loss at its step (from the end where negative) with the weight it has there.
struct WeightedLoss {
  double loss = 0, weight = 0;
};

std::optional<WeightedLoss> loss_of(const SeriesColumns& columns, int64_t rank, int64_t step) {
  const auto* loss = columns.find<double>(rank, "loss");
  const auto* weight = columns.find<double>(rank, "loss_weight");
  if (loss == nullptr || weight == nullptr || loss->size() != weight->size()) return std::nullopt;
  const int64_t at = step < 0 ? static_cast<int64_t>(loss->size()) + step : step;
  if (at < 0 || at >= static_cast<int64_t>(loss->size())) return std::nullopt;
  return WeightedLoss{(*loss)[static_cast<size_t>(at)], (*weight)[static_cast<size_t>(at)]};
}

// Step ends of the whole job, ns from its beginning; empty where the ranks' stamps do not fit each other.
Stamps step_ends(const SeriesColumns& columns) {
  Stamps out;
  int64_t origin = std::numeric_limits<int64_t>::max();
  for (const int64_t rank : columns.ranks()) {
    const Stamps* begin = columns.find<int64_t>(rank, "step_begin_ns");
    const Stamps* end = columns.find<int64_t>(rank, "step_end_ns");
    if (begin == nullptr || end == nullptr || begin->empty() || begin->size() != end->size()) return {};
    if (!out.empty() && out.size() != end->size()) return {};
    origin = std::min(origin, begin->front());
    out.resize(end->size(), std::numeric_limits<int64_t>::min());
    for (size_t i = 0; i < out.size(); ++i) out[i] = std::max(out[i], (*end)[i]);
  }
  for (int64_t& stamp : out) stamp -= origin;
  return out;
}

}  // namespace

std::optional<double> mean_loss(const SeriesColumns& columns, int64_t step) {
  double sum = 0, total = 0;
  for (const int64_t rank : columns.ranks()) {
    const std::optional<WeightedLoss> one = loss_of(columns, rank, step);
    if (!one) return std::nullopt;
    if (one->weight == 0) continue;
    sum += one->loss * one->weight;
    total += one->weight;
  }
  return total == 0 ? std::nullopt : std::optional(sum / total);
}

LossCurve loss_curve(const store::LaunchRow& launch, const std::vector<store::SeriesRow>& series, int64_t most) {
  const SeriesColumns columns(series);
  const Stamps ends = step_ends(columns);
  const auto steps = static_cast<int64_t>(ends.size());
  LossCurve out{launch.number, steps, {}};
  const int64_t points = std::min(steps, most);
  for (int64_t i = 0; i < points; ++i) {
    const int64_t step = points < 2 ? 0 : i * (steps - 1) / (points - 1);
    const std::optional<double> loss = mean_loss(columns, step);
    if (!loss) return {launch.number, steps, {}};
    out.points.push_back({step, static_cast<double>(ends[static_cast<size_t>(step)]) * 1e-9, *loss});
  }
  return out;
}

}  // namespace lockstep::snapshot
