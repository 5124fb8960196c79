#pragma once

#include "harness/cli/command.h"
#include "harness/run/campaign.h"

namespace lockstep::cli {

/// What every command that launches something says to the runner: store, folders, patience, progress.
run::Settings run_settings(const Arguments& arguments, const Context& context);

}  // namespace lockstep::cli
