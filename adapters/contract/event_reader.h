#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "adapters/contract/events.h"
#include "adapters/contract/job.h"

namespace lockstep::contract {

/// A line that is no event: kept, counted and reported.
struct BadLine {
  std::string file;  ///< file name within the run folder
  int64_t line = 0;  ///< from 1
  std::string text;  ///< at most 200 bytes of it
  std::string problem;
};

/// One event file.
struct RankEvents {
  std::string file;
  std::string role = "worker";
  int rank = 0;
  std::vector<Event> events;
  int64_t unknown = 0;  ///< events of kinds this version does not know
  bool cut = false;     ///< the last line has no newline: the rank was killed while it wrote

  template <class T>
  const T* first() const {
    for (const Event& event : events)
      if (const T* body = std::get_if<T>(&event.body)) return body;
    return nullptr;
  }
  template <class T>
  std::vector<T> all() const {
    std::vector<T> out;
    for (const Event& event : events)
      if (const T* body = std::get_if<T>(&event.body)) out.push_back(*body);
    return out;
  }
};

struct RunEvents {
  std::vector<RankEvents> ranks;  ///< workers first by rank, then other roles by name and number
  std::vector<BadLine> bad;
};

/// Parses the text of one event file; bad lines are appended to `bad`.
RankEvents parse_events(std::string_view text, const std::string& file, std::vector<BadLine>& bad);

/// Reads every events.*.jsonl of a run folder; files that are not there are simply absent. Throws Failure("bad_events")
/// when a file cannot be read.
RunEvents read_run(const std::filesystem::path& folder);

/// Something that events of a launch must not show. `kind` is a Failure kind.
struct EventProblem {
  std::string file;
  std::string kind;
  std::string text;
};

/// What is wrong with the events as the answer to `job`; empty when all is well. Checks that each rank has a file, that
/// hello comes first with this contract and the right rank and world, one ready before the steps, steps numbered
/// without gap from 1, t1 >= t0 and in order, sample counts that fit the step (finite losses are not asked for), a last
/// event that is done, error or unsupported, and no bad lines. A rank's own `error` is not a problem of the events.
std::vector<EventProblem> check_events(const RunEvents& run, const Job& job);

/// Sum over the launch's processes of each one's highest "pss" peak in bytes; processes are told apart by host and pid.
/// Nothing when a process did not report.
std::optional<int64_t> peak_pss_bytes(const RunEvents& run);

}  // namespace lockstep::contract
