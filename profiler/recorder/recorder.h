#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "profiler/activity/activity.h"

namespace lockstep::profiler {

/// Records the activities of one rank, from that rank's thread alone, into memory that is taken and touched before the
/// timed region: beyond its capacity records are dropped and counted. Names are interned before the hot path.
class Recorder {
 public:
  Recorder(int32_t rank, size_t capacity);

  uint32_t intern(std::string_view name);
  uint32_t track(std::string_view name);

  /// Records [begin, end), times of steady_clock, and what it sent and received (`activity` of a transfer is set here).
  void record(uint32_t track, uint32_t name, activity::Kind kind, std::chrono::steady_clock::time_point begin,
              std::chrono::steady_clock::time_point end, int32_t microbatch = -1, int64_t bytes = 0,
              std::span<const activity::Transfer> transfers = {});

  /// Activities from now on belong to this step; -1: to none.
  void set_step(int32_t step) { step_ = step; }

  /// Forgets what was recorded so far (the warm-up); names and tracks stay.
  void forget();

  /// What was recorded; the recorder is empty afterwards.
  activity::Trace take();

 private:
  int32_t rank_;
  int32_t step_ = -1;
  size_t capacity_;
  activity::Trace trace_;
  std::map<std::string, uint32_t, std::less<>> names_, tracks_;
};

/// Records its own life as an activity; with a null recorder it does nothing but compare a pointer.
class Range {
 public:
  Range(Recorder* recorder, uint32_t track, uint32_t name, activity::Kind kind, int32_t microbatch = -1,
        int64_t bytes = 0)
      : recorder_(recorder), track_(track), name_(name), kind_(kind), microbatch_(microbatch), bytes_(bytes) {
    if (recorder_) begin_ = std::chrono::steady_clock::now();
  }
  ~Range() {
    if (recorder_)
      recorder_->record(track_, name_, kind_, begin_, std::chrono::steady_clock::now(), microbatch_, bytes_);
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  Recorder* recorder_;
  uint32_t track_, name_;
  activity::Kind kind_;
  int32_t microbatch_;
  int64_t bytes_;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace lockstep::profiler
