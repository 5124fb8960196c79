#pragma once

#include <span>
#include <string>

#include "profiler/activity/activity.h"

namespace lockstep::profiler {

/// The traces as one document in the Trace Event Format of chrome://tracing and Perfetto: a process a rank and origin
/// (integer pids; planned ones stand beside the measured ones, marked in their names), a thread a track, complete
/// events in microseconds from the first activity, and an arrow (flow events) from each send to its receive. Dropped
/// records stand in "otherData".
std::string chrome_trace(std::span<const activity::Trace> traces);

}  // namespace lockstep::profiler
