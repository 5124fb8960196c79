#include "gui/core/timeline/track_filter.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "gui/core/filter.h"
#include "profiler/sinks/kind_names.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::gui::timeline {
namespace {

report::Row row_of(const Track& track) {
  return {"",
          {report::count_value(track.rank), report::text_value(track.name),
           report::text_value(std::string(profiler::origin_name(track.origin)))}};
}

std::string text_of(const Track& track) {
  return fmt::format("{} {} {}", track.rank, track.name, profiler::origin_name(track.origin));
}

}  // namespace

std::vector<bool> hidden_tracks(const Columns& columns, const std::string& filter) {
  report::Table tracks;
  tracks.columns = {report::count_column("rank", "rank"), report::name_column("track", "track"),
                    report::name_column("origin", "origin")};
  for (const Track& track : columns.tracks) tracks.rows.push_back(row_of(track));
  std::vector<bool> out(columns.tracks.size(), true);
  for (const size_t shown : matching(parse_row_filter(filter), TableRows(std::move(tracks)))) out[shown] = false;
  return out;
}

std::string tracks_text(const Columns& columns, const std::vector<uint32_t>& tracks) {
  std::string out;
  for (const uint32_t t : tracks) out += (out.empty() ? "" : "\n") + text_of(columns.tracks[t]);
  return out;
}

std::vector<uint32_t> tracks_in(const Columns& columns, const std::string& text) {
  std::set<std::string> wanted;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) wanted.insert(line);
  std::vector<uint32_t> out;
  for (uint32_t t = 0; t < columns.tracks.size(); ++t) {
    if (wanted.contains(text_of(columns.tracks[t]))) out.push_back(t);
  }
  return out;
}

}  // namespace lockstep::gui::timeline
