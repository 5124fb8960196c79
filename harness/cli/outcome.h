#pragma once

#include "harness/cli/command.h"
#include "harness/run/conduct.h"

namespace lockstep::cli {

/// Settings of a campaign from the options that all commands that run one share.
run::Settings settings_of(const Arguments& arguments, const Context& context);

/// Prints the campaign's table or document and how to go on; returns the exit code.
int finish(const Context& context, const run::Outcome& outcome);

}  // namespace lockstep::cli
