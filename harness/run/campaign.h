#pragma once

#include <utility>

#include "harness/places/places.h"
#include "harness/run/conduct.h"
#include "harness/suite/suite.h"
#include "results/store/store.h"

namespace lockstep::run {

/// Runs a suite as a new campaign of the store.
Outcome start(const suite::Suite& suite, const Settings& settings, const places::Places& places);

/// Goes on with a campaign: launches that never ran, were interrupted, or - when asked - failed.
Outcome resume(store::Store store, const store::CampaignRow& campaign, const Settings& settings,
               const places::Places& places);

/// Runs the suite's cells with two builds (`Places::workers`) that take turns launch by launch, a campaign each; blocks
/// of equal number are pairs.
std::pair<Outcome, Outcome> take_turns(const suite::Suite& suite, const Settings& settings, const places::Places& a,
                                       const places::Places& b);

}  // namespace lockstep::run
