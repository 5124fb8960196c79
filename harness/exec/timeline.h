#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/contract/events.h"
#include "harness/exec/reading.h"

namespace lockstep::exec {

/// Where the time of a step is from.
enum class TimeSource : uint8_t {
  mean,    ///< the log's own mean over the steps since the line before
  own,     ///< the log's own time of the step, where every step has a line
  arrival  ///< the time between lines, divided by the steps between them
};

/// "times from the log", "times of arrival"
const char* to_text(TimeSource source);

/// The log's own times go before times of arrival where they cover every step.
TimeSource source_of(const Reading& reading);

/// The steps of a log. The first line only says when measuring begins: how long its step took is not known by arrival.
/// A line every k steps makes k equal steps.
/// Where nobody says how many samples a step has, it has none: its speed is in steps.
struct Timeline {
  TimeSource source = TimeSource::arrival;
  std::vector<contract::Event> steps;  ///< `t`: arrival; t0, t1: by the source
  bool in_bunches = false;             ///< most lines came at once with others: somebody buffers the output
};

Timeline timeline_of(const Reading& reading, const std::vector<Line>& lines);

/// Steps outside the timed region when nobody said how many: a tenth of all, at least 1, at most 20.
int64_t default_warmup(int64_t steps);

}  // namespace lockstep::exec
