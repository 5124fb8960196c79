#pragma once

#include "profiler/activity/activity.h"

namespace lockstep::gui::timeline::testing {

/// A rank of a ring: in each of `steps` steps it computes, sends `bytes` + step to the next rank and gets as much from
/// the one before, and takes part in a native collective, which has no peer.
inline activity::Trace talking_trace(int32_t rank, int32_t ranks, int steps, int64_t bytes = 1000) {
  using activity::Kind;
  activity::Trace out;
  out.names = {"compute", "messages direct", "all_reduce native"};
  out.tracks = {{rank, "main"}, {rank, "communication"}};
  for (int step = 0; step < steps; ++step) {
    const int64_t begin = 10'000 * step + 10 * rank;
    out.activities.push_back({begin, begin + 4000, 0, 0, Kind::compute, step});
    const auto message = static_cast<uint32_t>(out.activities.size());
    out.activities.push_back({begin + 4000, begin + 6000, 1, 1, Kind::communication, step});
    out.transfers.push_back({activity::Transfer::send, message, (rank + 1) % ranks, 7, bytes + step});
    out.transfers.push_back({activity::Transfer::recv, message, (rank + ranks - 1) % ranks, 7, bytes + step});
    out.activities.push_back({begin + 7000, begin + 8000, 2, 1, Kind::communication, step, -1, 64});
  }
  return out;
}

}  // namespace lockstep::gui::timeline::testing
