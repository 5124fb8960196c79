#pragma once

#include "harness/cli/command.h"
#include "harness/run/campaign.h"

namespace lockstep::cli {

/// What `run`, `rerun` end with: the campaign's table or document, what to do next, and the exit code. `page`: also the
/// HTML report and a line that names it; where it cannot be written a warning says why.
int print_outcome(const Context& context, const run::Outcome& outcome, bool page = false);

}  // namespace lockstep::cli
