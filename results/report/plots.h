#pragma once

#include <optional>

#include "results/report/model.h"
#include "results/snapshot/snapshot.h"

/// The figures of a workload; none where there is nothing to draw.
namespace lockstep::report {

/// Median with its interval, a row a cell.
std::optional<Figure> throughput_figure(const snapshot::WorkloadGroup& group);
/// Against own serial and against copies, a row a cell of several ranks.
std::optional<Figure> efficiency_figure(const snapshot::WorkloadGroup& group);
/// Loss against time, a curve a cell: of one launch, which is named.
std::optional<Figure> loss_figure(const snapshot::WorkloadGroup& group, int64_t campaign);
/// Five classes of a step's time, a bar a rank of each recorded launch.
std::optional<Figure> breakdown_figure(const snapshot::WorkloadGroup& group, int64_t campaign);

}  // namespace lockstep::report
