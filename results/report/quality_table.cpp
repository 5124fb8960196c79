#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "results/report/cell_words.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::report {
namespace {

using snapshot::CellSnapshot;
using snapshot::WorkloadGroup;

Column median_column(std::string key, std::string title, std::string unit) {
  return {std::move(key), std::move(title), std::move(unit), Quantity::cost, Centre::median, false, true};
}

/// Infinite where half of the launches or more missed the target.
Value cost_value(const stats::Estimate& estimate) {
  return std::isinf(estimate.value) ? missing_value("half of the launches or more did not reach the target")
                                    : estimate_value(estimate);
}

}  // namespace

std::optional<Table> quality_table(const WorkloadGroup& group) {
  Table out;
  for (const CellSnapshot& cell : group.cells) {
    const snapshot::Quality& quality = cell.quality;
    if (quality.launches.empty()) continue;
    if (out.columns.empty()) {
      out.title = fmt::format("until {}", quality.target->text());
      out.columns = {name_column("system", "system"),
                     name_column("strategy", "strategy"),
                     name_column("reached", "reached"),
                     median_column("best", "best", ""),
                     median_column("steps_to_target", "steps", ""),
                     median_column("samples_to_target", "samples", ""),
                     median_column("time_s_to_target", "time", "s")};
    }
    out.rows.push_back(
        {cell.cell.text,
         {text_value(cell.cell.system), text_value(strategy_of(cell.cell)),
          text_value(fmt::format("{} of {}", quality.reached(), quality.launches.size())), estimate_value(quality.best),
          cost_value(quality.steps), cost_value(quality.samples), cost_value(quality.time_s)}});
  }
  if (out.rows.empty()) return std::nullopt;
  name_intervals(out);
  out.notes = {
      "Steps, samples and time until the evaluation that reached the target, from the first step on; evaluations are "
      "part of the time. A launch that did not reach it counts as infinite."};
  return out;
}

}  // namespace lockstep::report
