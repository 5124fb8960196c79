#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace lockstep::supervisor {

/// Peak of the resident memory of all descendants together, sampled (/proc/PID/statm); pages that several of them map
/// count in each. PSS would not, but reading it walks their page tables and disturbs what is measured. Our own
/// executable is left out.
class TreeMemory {
 public:
  /// Adds up what the descendants of this process hold now. Who they are is looked up once a second: that reads all of
  /// /proc. `now` in seconds on any steady clock.
  void look(double now);

  /// 0: nothing was seen.
  int64_t peak_bytes() const { return peak_bytes_; }

 private:
  std::vector<pid_t> pids_;
  double looked_up_ = -1;
  int64_t peak_bytes_ = 0;
};

}  // namespace lockstep::supervisor
