#pragma once

#include <cstdint>
#include <vector>

#include "profiler/activity/activity.h"

namespace lockstep::activity {

/// A transfer, as its partner is to be found.
struct TransferEnd {
  Transfer::Way way = Transfer::send;
  int32_t from = 0, to = 0, tag = 0;
  int64_t begin_ns = 0;   ///< of its activity
  uint32_t transfer = 0;  ///< the caller's number of it
};

/// Where the arrow of a transfer begins or ends: what communicates sends from its begin on and has received at its end;
/// what computes sends at its end what it made, and begins with what it got.
inline int64_t time_of(Transfer::Way way, Kind kind, int64_t begin_ns, int64_t end_ns) {
  return (kind == Kind::communication) == (way == Transfer::send) ? begin_ns : end_ns;
}

/// A send and the receive of the same bytes.
struct Flow {
  uint32_t send = 0, recv = 0;  ///< TransferEnd::transfer
};

/// Pairs sends with receives between the same ranks under the same tag in the order of their begins, from the last one
/// backwards: a recording ends with everything arrived, but may begin in the middle of something, whose sends or
/// receives are then left over. By send's begin. Cost: O(n log n).
std::vector<Flow> match_transfers(std::vector<TransferEnd> ends);

/// The flows of a trace of all ranks; numbers are indices into Trace::transfers. None where records were dropped: then
/// nobody can tell which send belongs to which receive.
std::vector<Flow> flows_of(const Trace& trace);

}  // namespace lockstep::activity
