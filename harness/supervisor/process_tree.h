#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

/// Reading and ending process trees through /proc (Linux). Every function tolerates processes that end meanwhile.
namespace lockstep::supervisor {

/// A process as it can be told from a later one with the same pid: the kernel's start time in clock ticks.
struct ProcessId {
  pid_t pid = 0;
  int64_t start_ticks = 0;
  bool operator==(const ProcessId&) const = default;
};

/// The identity of `pid`; pid 0 in the result when there is no such process or it is a zombie.
ProcessId identify(pid_t pid);

/// "4711:98765" and back; pid 0 for other text.
std::string to_text(const ProcessId& id);
ProcessId parse_process_id(const std::string& text);

/// True while the very same process lives.
bool alive(const ProcessId& id);

/// All descendants of `root` that are not zombies, also those in sessions and process groups of their own.
std::vector<pid_t> descendants(pid_t root);

/// The value of a variable in the environment that a process was started with; empty when it cannot be read.
std::string environment_of(pid_t pid, const std::string& name);

/// Every pid in /proc.
std::vector<pid_t> all_processes();

}  // namespace lockstep::supervisor
