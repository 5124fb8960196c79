#pragma once

#include "harness/exec/experiment.h"
#include "harness/places/places.h"
#include "harness/run/conduct.h"

namespace lockstep::exec {

/// Runs an experiment as a new campaign of the store: each variant once a block, blocks interleaved (A B, B A, ...).
run::Outcome start(const Experiment& experiment, const run::Settings& settings, const places::Places& places);

/// Goes on with it, as run::resume does with a suite's.
run::Outcome resume(store::Store store, const store::CampaignRow& campaign, const run::Settings& settings,
                    const places::Places& places);

}  // namespace lockstep::exec
