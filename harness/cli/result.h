#pragma once

#include "harness/cli/command.h"
#include "harness/run/campaign.h"

namespace lockstep::cli {

/// What `run`, `rerun` end with: the campaign's table or document, what to do next, and the exit code.
int print_outcome(const Context& context, const run::Outcome& outcome);

}  // namespace lockstep::cli
