#pragma once

#include <string>

#include "harness/supervisor/order.h"

namespace lockstep::supervisor {

/// Starts the processes of FOLDER/supervisor-order.json, watches them, and returns when no descendant is left; writes
/// FOLDER/supervisor-report.json. Ends everything - SIGTERM, then SIGKILL, in whatever session or process group - when
/// the pipe from the harness closes, a deadline passes, SIGTERM comes, or a process ended badly and its peers do not.
///
/// Call it in a process of its own with nothing else running: it becomes a subreaper (prctl(2)) and reaps every child.
Report supervise(const std::string& folder);

}  // namespace lockstep::supervisor
