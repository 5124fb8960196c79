#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace lockstep::launch {

/// A process of a launch that nobody looks after any more.
struct Leftover {
  pid_t pid = 0;
  std::string launch_id;
};

/// Processes of this user's launches whose supervisor is dead, found by the launch id in their environment. With
/// `launch_id`, only those of that launch.
std::vector<Leftover> find_leftovers(const std::string& launch_id = "");

/// Ends them: SIGTERM, after `seconds` SIGKILL. Returns those that were found.
std::vector<Leftover> end_leftovers(double seconds, const std::string& launch_id = "");

/// Supervisors whose harness died are still ending its launch: waits for them, at most `seconds`. True when none is
/// left.
bool wait_for_orphaned_supervisors(double seconds);

}  // namespace lockstep::launch
