#include "gui/core/timeline/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figures.h"

namespace lockstep::gui::timeline {
namespace {

/// One step of the plan at another place and length.
struct Copy {
  int32_t step = 0;
  int64_t begin_ns = 0;
  double stretch = 1;
};

std::vector<Copy> copies_of(const StepTimes& steps, int64_t planned_ns) {
  std::vector<Copy> out;
  for (auto step = steps.begin_ns.begin(); step != steps.begin_ns.end(); ++step) {
    const auto next = std::next(step);
    const int64_t end = next == steps.begin_ns.end() ? steps.end_ns : next->second;
    if (end <= step->second) continue;
    out.push_back(
        {step->first, step->second, static_cast<double>(end - step->second) / static_cast<double>(planned_ns)});
  }
  return out;
}

void add(Columns& to, const Columns& planned, uint32_t i, const Copy& copy, int64_t origin_ns) {
  const auto moved = [&](int64_t ns) {
    return copy.begin_ns + static_cast<int64_t>(std::floor(static_cast<double>(ns - origin_ns) * copy.stretch));
  };
  to.begin_ns.push_back(moved(planned.begin_ns[i])), to.end_ns.push_back(moved(planned.end_ns[i]));
  to.name.push_back(planned.name[i]), to.kind.push_back(planned.kind[i]), to.bytes.push_back(planned.bytes[i]);
  to.step.push_back(copy.step), to.microbatch.push_back(planned.microbatch[i]);
  const auto [begin, end] = planned.transfers.of(i);
  for (uint32_t t = begin; t < end; ++t)
    to.transfers.add(planned.transfers.at(t), static_cast<uint32_t>(to.size()) - 1);
}

}  // namespace

StepTimes steps_of(const Columns& columns) {
  StepTimes out;
  bool any = false;
  for (const Track& track : columns.tracks) {
    if (track.origin != activity::Origin::measured) continue;
    if (track.name == "communication") continue;  // may begin early and end late
    const auto [from, to] = columns.range(track);
    for (uint32_t i = from; i < to; ++i) {
      if (columns.step[i] < 0) continue;
      const auto [found, fresh] = out.begin_ns.try_emplace(columns.step[i], columns.begin_ns[i]);
      if (!fresh) found->second = std::min(found->second, columns.begin_ns[i]);
      out.end_ns = any ? std::max(out.end_ns, columns.end_ns[i]) : columns.end_ns[i];
      any = true;
    }
  }
  return out;
}

Overlaid overlay(const Columns& planned, const StepTimes& steps) {
  const auto [begin, end] = span_ns(planned);
  const std::vector<Copy> copies = end > begin ? copies_of(steps, end - begin) : std::vector<Copy>{};
  if (copies.empty()) {
    return {planned, "Planned times are proportions (FLOPs and bytes), one step, scaled to the median measured step."};
  }
  Overlaid out;
  out.columns.names = planned.names, out.columns.tracks = planned.tracks;
  for (uint32_t row = 0; row < planned.rows(); ++row) {
    for (const Copy& copy : copies) {
      for (uint32_t i = planned.row_begin[row]; i < planned.row_begin[row + 1]; ++i) {
        add(out.columns, planned, i, copy, begin);
      }
    }
    out.columns.row_begin.push_back(static_cast<uint32_t>(out.columns.size()));
  }
  const auto [least, most] = std::minmax_element(copies.begin(), copies.end(),
                                                 [](const Copy& a, const Copy& b) { return a.stretch < b.stretch; });
  out.note = fmt::format(
      "Planned times are proportions (FLOPs and bytes): the plan of a step is stretched to each measured step, by {} "
      "to "
      "{}, so only shares of a step can be compared with it.",
      report::number(least->stretch), report::number(most->stretch));
  return out;
}

}  // namespace lockstep::gui::timeline
