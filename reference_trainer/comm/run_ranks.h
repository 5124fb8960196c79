#pragma once

#include <functional>

#include "reference_trainer/comm/transport.h"

namespace lockstep::comm {

/// Runs fn on n threads, one a rank, each with its endpoint of one threads world. No exception leaves a thread: a rank
/// that throws is ended for the others, which then fail with "peer_lost"; after all threads are joined the exception of
/// the rank that failed first is thrown.
void run_ranks(int n, const std::function<void(Transport&)>& fn);

}  // namespace lockstep::comm
