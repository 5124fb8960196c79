#include "reference_trainer/plan/schedule/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep::schedule {
namespace {

size_t column(double time, double unit) { return static_cast<size_t>(std::llround(time / unit)); }

}  // namespace

std::string label(const Schedule& schedule, const Interval& interval) {
  std::string out = fmt::format("{}{}", text::name(interval.kind), interval.microbatch);
  const int chunk = interval.stage / schedule.size();
  if (schedule.numbers.chunks > 1) out += static_cast<char>('a' + chunk % 26);
  return out;
}

std::string row_name(const Schedule& schedule, int rank) {
  const bool rank_is_stage = schedule.directions() == 1 && schedule.stages() == schedule.size();
  return fmt::format("{} {}", rank_is_stage ? "stage" : "rank", rank);
}

std::string picture(const Schedule& schedule, const Simulation& simulation, double unit) {
  std::vector<std::vector<std::string>> rows(schedule.ranks.size());
  for (auto& row : rows) row.resize(column(simulation.makespan, unit), "");
  size_t width = 2;
  for (const Interval& interval : simulation.intervals) {
    if (!computes(interval.kind)) continue;
    auto& row = rows[static_cast<size_t>(interval.rank)];
    const size_t begin = column(interval.start, unit), end = std::max(begin + 1, column(interval.end, unit));
    for (size_t i = begin; i < std::min(end, row.size()); ++i) row[i] = i == begin ? label(schedule, interval) : "-";
    width = std::max(width, label(schedule, interval).size());
  }
  const size_t names = std::max(row_name(schedule, 10).size(), row_name(schedule, schedule.size() - 1).size());
  std::string out;
  for (size_t rank = 0; rank < rows.size(); ++rank) {
    std::string line = fmt::format("{:<{}}", row_name(schedule, static_cast<int>(rank)), names);
    for (const std::string& cell : rows[rank]) {
      if (cell.empty()) line += ' ' + std::string(width, '.');
      if (cell == "-") line += ' ' + std::string(width, '-');
      if (cell.size() > 1) line += fmt::format(" {:<{}}", cell, width);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

}  // namespace lockstep::schedule
