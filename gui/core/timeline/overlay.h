#pragma once

#include <map>
#include <string>

#include "gui/core/timeline/columns.h"

namespace lockstep::gui::timeline {

/// When the measured steps of a recording begin, over all ranks; each ends where the next begins. The barrier before
/// the first one is of no step.
struct StepTimes {
  std::map<int32_t, int64_t> begin_ns;
  int64_t end_ns = 0;  ///< of the last one
};
StepTimes steps_of(const Columns& columns);

struct Overlaid {
  Columns columns;
  std::string note;  ///< what was done to the times, in words
};

/// A plan of one step, put over every measured step. Planned times are proportions, so that each copy is stretched to
/// the length of its step. Where nothing was measured, or outside steps only, it stands alone at the beginning.
Overlaid overlay(const Columns& planned, const StepTimes& steps);

}  // namespace lockstep::gui::timeline
