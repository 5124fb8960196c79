#pragma once

#include <sys/types.h>

#include <string>

#include "harness/supervisor/order.h"

namespace lockstep::supervisor {

/// Starts a command with `folder` as its working directory, /dev/null as its input, its outputs in the named files and
/// no other descriptor; it is killed when the caller dies. Returns its pid, or -1 with the reason in `error`.
pid_t start(const std::string& folder, const Command& command, std::string& error);

/// For launchers that start the ranks themselves: moves this process's output to stdout.rankN.log and stderr.rankN.log
/// of the working directory, N being the launcher's number of the rank, and becomes `arguments` (null-terminated).
/// Returns only when that fails: the exit code.
int redirect(char** arguments);

}  // namespace lockstep::supervisor
