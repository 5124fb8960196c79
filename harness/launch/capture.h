#pragma once

#include <string>
#include <vector>

namespace lockstep::launch {

struct Captured {
  int code = -1;  ///< exit code; -1: a signal, a deadline, or it could not be started
  std::string out, err;
  bool late = false;  ///< it was killed at the deadline
};

/// Runs a short helper command (a probe, git) to its end, at most `seconds`, with /dev/null as its input. The first
/// argument is looked up in PATH. Never throws for what the command does.
Captured capture(const std::vector<std::string>& arguments, double seconds);

/// The absolute path of an executable, looked up in PATH when it has no slash; empty when there is none.
std::string find_executable(const std::string& name);

}  // namespace lockstep::launch
