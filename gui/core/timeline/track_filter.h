#pragma once

#include <string>
#include <vector>

#include "gui/core/timeline/columns.h"

namespace lockstep::gui::timeline {

/// By track, whether a filter leaves it out. It is a RowFilter on the columns rank, track ("main"), origin
/// ("measured"): `rank<4 track:comm -origin:planned`. Throws Failure("usage") where it is none.
std::vector<bool> hidden_tracks(const Columns& columns, const std::string& filter);

/// Tracks as text that survives another opening of the launch: "0 main measured" a line; those that are not there are
/// left out.
std::string tracks_text(const Columns& columns, const std::vector<uint32_t>& tracks);
std::vector<uint32_t> tracks_in(const Columns& columns, const std::string& text);

}  // namespace lockstep::gui::timeline
