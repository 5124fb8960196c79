#pragma once

#include <string>

#include "gui/core/timeline/geometry.h"

namespace lockstep::gui::timeline {

/// An activity in exact numbers, a line each: name and kind, whose it is, begin, length, step, microbatch, bytes.
std::string describe(const Columns& columns, uint32_t activity);
/// Of a folded box: how many there are, how busy its pixel is, and the longest of them.
std::string describe(const Columns& columns, const Box& box);

}  // namespace lockstep::gui::timeline
