#pragma once

#include <functional>
#include <vector>

#include "reference_trainer/plan/collective/program.h"

namespace lockstep::collective {

/// A send and the receive that it meets.
struct Match {
  int sender = 0;
  int receiver = 0;
  const Transfer* send = nullptr;
  const Transfer* recv = nullptr;
};

/// Where a rank stands: in which round, and which of the round's transfers are done.
struct Standing {
  size_t round = 0;
  std::vector<bool> done;
};

struct WalkEvents {
  std::function<void(const Match&)> matched;               ///< in an order in which they can happen
  std::function<void(int rank, size_t round)> round_done;  ///< all transfers of the rank's round are done
};

/// Executes a program under rendezvous: a message moves only while sender and receiver are both in the rounds that hold
/// it. Tries one send a rank in turn, so that equal ranks proceed equally. Returns where the ranks stand at the end:
/// all behind their last rounds, or blocked.
std::vector<Standing> walk(const Program&, const WalkEvents&);

}  // namespace lockstep::collective
