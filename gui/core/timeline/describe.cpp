#include "gui/core/timeline/describe.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/sinks/kind_names.h"
#include "results/report/figures.h"

namespace lockstep::gui::timeline {

namespace {

constexpr uint32_t kToldTransfers = 8;

std::string transfers_text(const Transfers& transfers, uint32_t activity) {
  const auto [begin, end] = transfers.of(activity);
  std::string out;
  for (uint32_t i = begin; i < std::min(end, begin + kToldTransfers); ++i) {
    const bool sends = transfers.way[i] == activity::Transfer::send;
    out += fmt::format("\n{} rank {}: {} bytes", sends ? "to" : "from", transfers.peer[i], transfers.bytes[i]);
  }
  if (end - begin > kToldTransfers) out += fmt::format("\nand {} more", end - begin - kToldTransfers);
  return out;
}

}  // namespace

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
  return out + transfers_text(columns.transfers, activity);
}

std::string describe(const Columns& columns, const Box& box) {
  if (!box.folded || box.count == 1) return describe(columns, box.activity);
  return fmt::format("{} activities begin in this pixel, which is {} busy\nthe longest:\n{}", box.count,
                     report::percent(static_cast<double>(box.busy)), describe(columns, box.activity));
}

}  // namespace lockstep::gui::timeline
