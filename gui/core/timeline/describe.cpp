#include "gui/core/timeline/describe.h"

#include <fmt/format.h>

#include "profiler/sinks/kind_names.h"
#include "results/report/figures.h"

namespace lockstep::gui::timeline {

std::string describe(const Columns& columns, uint32_t activity) {
  const Track& track = columns.track_of_row(columns.row_of(activity));
  std::string out = fmt::format("{} ({})\nrank {}, {}\nbegins at {}\nlasts {}", columns.names[columns.name[activity]],
                                profiler::kind_name(columns.kind[activity]), track.rank, label_of(track),
                                time_text(static_cast<double>(columns.begin_ns[activity])),
                                time_text(static_cast<double>(columns.length_ns(activity))));
  if (track.origin == activity::Origin::planned) out += ", a proportion of its step";
  if (columns.step[activity] >= 0) out += fmt::format("\nstep {}", columns.step[activity]);
  if (columns.microbatch[activity] >= 0) out += fmt::format(", microbatch {}", columns.microbatch[activity]);
  if (columns.bytes[activity] > 0) out += fmt::format("\n{} bytes", columns.bytes[activity]);
  return out;
}

std::string describe(const Columns& columns, const Box& box) {
  if (!box.folded || box.count == 1) return describe(columns, box.activity);
  return fmt::format("{} activities begin in this pixel, which is {} busy\nthe longest:\n{}", box.count,
                     report::percent(static_cast<double>(box.busy)), describe(columns, box.activity));
}

}  // namespace lockstep::gui::timeline
