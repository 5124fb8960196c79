#include "gui/core/timeline/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "profiler/sinks/kind_names.h"

namespace lockstep::gui::timeline {
namespace {

bool is_measured(const Track& track) { return track.origin == activity::Origin::measured; }

bool is_shown(const Columns& columns, const RowChoices& choices, uint32_t t) {
  if (t < choices.hidden.size() && choices.hidden[t]) return false;
  if (choices.arrangement == Arrangement::measured) return is_measured(columns.tracks[t]);
  if (choices.arrangement == Arrangement::planned) return !is_measured(columns.tracks[t]);
  return true;
}

// Sorted to the order of the page: pinned ranks first, a rank's plan above what was measured, main tracks first.
std::vector<uint32_t> shown_tracks(const Columns& columns, const RowChoices& choices) {
  const bool apart = choices.arrangement == Arrangement::side_by_side;
  const auto place = [&](uint32_t t) {
    const Track& track = columns.tracks[t];
    return std::tuple(!choices.pinned.contains(track.rank), apart && is_measured(track), track.rank, is_measured(track),
                      track.name != "main", track.name, t);
  };
  std::vector<uint32_t> out;
  for (uint32_t t = 0; t < columns.tracks.size(); ++t) {
    if (is_shown(columns, choices, t)) out.push_back(t);
  }
  std::sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) { return place(a) < place(b); });
  return out;
}

std::string head_label(const Columns& columns, const RowChoices& choices, const Line& head) {
  std::string out = fmt::format("rank {}", head.rank);
  if (choices.arrangement == Arrangement::side_by_side) {
    out += fmt::format(" ({})", profiler::origin_name(columns.tracks[head.tracks[0]].origin));
  }
  return out;
}

}  // namespace

std::string label_of(const Track& track) {
  if (is_measured(track)) return track.name;
  return fmt::format("{} ({})", track.name, profiler::origin_name(track.origin));
}

Layout lay_out(const Columns& columns, const RowChoices& choices) {
  Layout out;
  out.lane_px = choices.lane_px;
  const std::vector<uint32_t> tracks = shown_tracks(columns, choices);
  const auto put = [&](Line line, double height) {
    line.y_px = out.height_px, line.height_px = height;
    out.height_px += height;
    if (line.pinned) out.pinned_px = out.height_px;
    out.lines.push_back(std::move(line));
  };
  for (size_t i = 0; i < tracks.size();) {
    const Track& first = columns.tracks[tracks[i]];
    Line head;
    head.type = Line::head, head.rank = first.rank, head.measured = is_measured(first);
    head.collapsed = choices.collapsed.contains(first.rank), head.pinned = choices.pinned.contains(first.rank);
    const auto same_group = [&](const Track& track) {
      return track.rank == head.rank &&
             (choices.arrangement != Arrangement::side_by_side || is_measured(track) == head.measured);
    };
    for (; i < tracks.size() && same_group(columns.tracks[tracks[i]]); ++i) head.tracks.push_back(tracks[i]);
    head.label = head_label(columns, choices, head);
    const std::vector<uint32_t> own = head.tracks;
    std::stable_partition(head.tracks.begin(), head.tracks.end(),
                          [&](uint32_t t) { return is_measured(columns.tracks[t]); });
    put(head, choices.head_px);
    for (size_t k = 0; !head.collapsed && k < own.size(); ++k) {
      const Track& track = columns.tracks[own[k]];
      Line line = head;
      line.type = Line::track, line.measured = is_measured(track), line.tracks = {own[k]};
      line.label = label_of(track);
      put(std::move(line), choices.lane_px * track.rows + 2);
    }
  }
  return out;
}

double y_on_page(const Line& line, double scroll_px) { return line.pinned ? line.y_px : line.y_px - scroll_px; }

int line_at(const Layout& layout, double y_px, double scroll_px) {
  const double y = y_px < layout.pinned_px ? y_px : y_px + scroll_px;
  for (size_t i = 0; i < layout.lines.size(); ++i) {
    const Line& line = layout.lines[i];
    if (y >= line.y_px && y < line.y_px + line.height_px) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace lockstep::gui::timeline
