#pragma once

#include "adapters/contract/job.h"
#include "harness/launch/adapter.h"
#include "harness/supervisor/order.h"

namespace lockstep::launch {

/// What the supervisor is to start for a job: one process, one a rank, or a launcher, as the manifest's recipe for the
/// job's fabric says. `patience` multiplies every deadline. Failure "unsupported" where the launcher is not installed.
supervisor::Order make_order(const Adapter& adapter, const contract::Job& job, const places::Places& places,
                             double patience);

/// A TCP port that was free on the loopback interface a moment ago.
int free_port();

}  // namespace lockstep::launch
