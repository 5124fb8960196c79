#pragma once

#include <filesystem>
#include <functional>

#include "profiler/activity/activity.h"

namespace lockstep::profiler {

/// The name of the format in `artifact` events.
inline constexpr const char* kTraceFormat = "lockstep-activities-1";

/// Writes a trace as one JSON document of columns (docs/formats.md), atomically. Throws Failure("setup").
void write_trace(const std::filesystem::path& file, const activity::Trace& trace);

/// Reads it back. `progress` hears what share of the file has been read, and may throw a Failure to end it. Throws
/// Failure("usage") that names the file and what is wrong.
activity::Trace read_trace(const std::filesystem::path& file, const std::function<void(double)>& progress = {});

/// Appends `part` to `whole`: names are shared, tracks stay apart, dropped records add up.
void merge(activity::Trace& whole, const activity::Trace& part);

}  // namespace lockstep::profiler
