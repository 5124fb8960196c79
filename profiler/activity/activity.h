#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::activity {

/// What a rank was doing; each nanosecond of a step has exactly one class in reports, derived from these.
enum class Kind : uint8_t { compute, optimizer, communication, wait, data, recompute, bubble, step, other };

/// Where the times come from. Planned, predicted, virtual and measured timelines are the same type and overlay.
enum class Origin : uint8_t { planned, predicted, virtual_time, measured };

/// A named interval on a track of a rank. Times are nanoseconds on the trace's clock; `end_ns >= begin_ns`.
struct Activity {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  uint32_t name = 0;   ///< index into Trace::names
  uint32_t track = 0;  ///< index into Trace::tracks
  Kind kind = Kind::other;
  int32_t step = -1;        ///< -1: outside any step
  int32_t microbatch = -1;  ///< -1: of no microbatch
  int64_t bytes = 0;        ///< moved or sent, 0 where it has no meaning
};

/// Bytes of an activity that went to a rank, or came from one. A native collective has none: nobody can tell whose
/// bytes went where.
struct Transfer {
  enum Way : uint8_t { send, recv } way = send;
  uint32_t activity = 0;  ///< index into Trace::activities
  int32_t peer = 0;       ///< rank
  int32_t tag = 0;        ///< what one rank sends another under one tag arrives there in the order of the begins
  int64_t bytes = 0;
};

/// A row of a timeline: one thread of a rank, or one of its devices.
struct Track {
  int32_t rank = 0;
  std::string name;  ///< "main", "progress", ...
};

/// A timeline. `dropped` counts records that did not fit the recorder's buffers; a reader always shows it.
struct Trace {
  Origin origin = Origin::measured;
  std::vector<std::string> names;
  std::vector<Track> tracks;
  std::vector<Activity> activities;
  std::vector<Transfer> transfers;  ///< by activity, ascending
  int64_t dropped = 0;
};

}  // namespace lockstep::activity
