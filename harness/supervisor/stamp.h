#pragma once

namespace lockstep::supervisor {

/// When each piece of a command's output arrived: beside the logs, a line "NANOSECONDS BYTES" a piece on the monotonic
/// clock (CLOCK_MONOTONIC), in the order of the log's bytes.
inline constexpr const char* kOutArrivals = "arrivals.stdout.txt";
inline constexpr const char* kErrArrivals = "arrivals.stderr.txt";

/// Runs `arguments` (null-terminated, looked up in PATH) in `directory`, copies its outputs to our own as they come and
/// writes down when, in the working directory. Returns the command's exit code; where a signal ended it, this process
/// ends by the same signal. 126 when the files or pipes cannot be made, 127 when the command cannot be started.
int stamp(const char* directory, char** arguments);

}  // namespace lockstep::supervisor
