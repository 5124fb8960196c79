#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>

#include "adapters/contract/events.h"

namespace lockstep::contract {

/// The name of a rank's event file in the run folder: "events.rank3.jsonl", "events.server0.jsonl".
std::string event_file_name(int rank, const std::string& role = "worker");

/// Appends a rank's events to its file; one object a rank. Every event is written at once, but those of steps inside
/// the timed region, which are kept and written every 200 ms (a write system call between two steps) and at its end.
/// Calls of several threads are serialized, so a heartbeat thread may share it.
///
///     EventWriter events(job.folder, rank);
///     events.write(Hello{...});  events.write(Ready{...});
///     ... warm-up ...  barrier  events.begin_timed(job.steps - job.warmup);
///     for (...) events.step({...});
///     events.end_timed();  events.write(Memory{...});  events.write(Done{job.steps});
class EventWriter {
 public:
  /// Opens (appends to) the file. Throws Failure("setup").
  EventWriter(const std::filesystem::path& folder, int rank, const std::string& role = "worker");
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  /// Writes the event now, after whatever is buffered. `t` of the event is the time of the call.
  void write(EventBody body);
  /// Writes a step; inside the timed region it is buffered.
  void step(const Step& step);

  /// Starts buffering, with memory for 200 ms of steps or `steps` of them, whichever is smaller, already touched.
  void begin_timed(int64_t steps);
  /// Writes what is buffered and stops buffering.
  void end_timed();

 private:
  void flush();

  std::filesystem::path file_;
  std::mutex mutex_;
  std::string buffer_;
  int fd_ = -1;
  bool timed_ = false;
  int64_t last_flush_ns_ = 0;
};

}  // namespace lockstep::contract
