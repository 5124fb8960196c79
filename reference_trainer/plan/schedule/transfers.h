#pragma once

#include "reference_trainer/plan/schedule/schedule.h"

namespace lockstep::schedule {

/// Adds a SEND and a RECV wherever consecutive stages of a microbatch lie on different ranks, in an order that
/// progresses without any buffering. One pass for all schedules.
///
/// The lists are run once with F = I = W = 1 and transfers that take no time. Every action gets a moment: a computation
/// its start, a transfer the end of what it sends. Sorted by moment, transfers before computations at the same one, all
/// of this is one global order in which each transfer stands once, after its producer and before its consumer; a rank's
/// list is the part of it that is its own. So whatever is first among all that is not done yet has all before it done
/// on both of its ranks, and can run: no cycle of waits is possible, however long things really take.
///
/// A SEND so follows its producer at once, and a RECV stands as early as the message can be there: an executor may
/// block at both, or start them in this order and wait for a RECV only where its consumer runs.
///
/// Takes lists without transfers that check() accepts; others are a broken invariant.
Schedule insert_transfers(const Schedule&);

}  // namespace lockstep::schedule
