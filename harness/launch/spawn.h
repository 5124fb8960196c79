#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "harness/supervisor/order.h"

namespace lockstep::launch {

/// A running supervisor. It ends its launch when this object is destroyed, or when this process dies.
class Supervised {
 public:
  /// Writes the order into `folder` and starts BIN/lockstep-supervisor on it. Failure "start_failed".
  Supervised(const std::filesystem::path& bin, const std::filesystem::path& folder, const supervisor::Order& order);
  ~Supervised();
  Supervised(const Supervised&) = delete;
  Supervised& operator=(const Supervised&) = delete;

  /// Waits until it has ended, at most `milliseconds`; true when it has.
  bool wait(int milliseconds);
  /// Asks it to end the launch now; wait() tells when it has.
  void stop();
  /// After the end: its report; none when it was killed before it could write one.
  std::optional<supervisor::Report> report() const;
  /// A descriptor that becomes readable at the supervisor's end, for poll(2) beside others.
  int ended_descriptor() const { return pidfd_; }

 private:
  std::filesystem::path folder_;
  pid_t pid_ = -1;
  int pidfd_ = -1;
  int pipe_ = -1;
  bool ended_ = false;
};

}  // namespace lockstep::launch
