#pragma once

#include "results/store/store.h"

namespace lockstep::cli {

/// The newest proof of equal work of a launch's cell in its environment; state `none` where there is none.
store::ProofRow launch_proof(store::Store& store, const store::LaunchRow& launch);

}  // namespace lockstep::cli
