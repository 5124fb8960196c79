// Direct exchange: each rank sends chunk j straight to rank j, and chunks come back straight from their owners. As many
// bytes and messages as ring, in 2 rounds instead of 2(p-1): for shared memory, where a round costs a hand-over. With N
// bytes a rank, p chunks, and one message at a time:
//
//   reduce_scatter  (p-1) alpha + (p-1)/p N (beta + gamma)
//   all_gather      (p-1) alpha + (p-1)/p N beta
//   all_reduce      the sum of both
//   all_to_all      (p-1) alpha + (p-1)/p^2 N beta, of N bytes for all p x p chunks together: N / p is what a rank
//   brings
//
// In the k-th place of its list each rank sends to rank + k and receives from rank - k, so that no two ranks send to
// one at a time.
#include "reference_trainer/plan/collective/generators.h"

namespace lockstep::collective {
namespace {

Round exchange(int rank, int p, bool reducing) {
  Round round;
  for (int k = 1; k < p; ++k) {
    const int to = (rank + k) % p;
    const int from = (rank + p - k) % p;
    round.push_back({Action::send, to, reducing ? to : rank, 1});
    round.push_back({reducing ? Action::recv_reduce : Action::recv, from, reducing ? rank : from, 1});
  }
  return round;
}

/// Chunk (r, s) of the p x p ones goes from rank r to rank s.
Round transpose(int rank, int p) {
  Round round;
  for (int k = 1; k < p; ++k) {
    const int to = (rank + k) % p, from = (rank + p - k) % p;
    round.push_back({Action::send, to, rank * p + to, 1});
    round.push_back({Action::recv, from, from * p + rank, 1});
  }
  return round;
}

}  // namespace

Program direct(Operation operation, int ranks, int root) {
  const bool all_to_all = operation == Operation::all_to_all;
  Program program = empty_program("direct", operation, ranks, all_to_all ? ranks * ranks : ranks, root);
  if (ranks == 1) return program;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Round>& rounds = program.ranks[static_cast<size_t>(rank)];
    if (all_to_all) {
      rounds.push_back(transpose(rank, ranks));
      continue;
    }
    if (operation != Operation::all_gather) rounds.push_back(exchange(rank, ranks, true));
    if (operation != Operation::reduce_scatter) rounds.push_back(exchange(rank, ranks, false));
  }
  return program;
}

Cost direct_cost(Operation operation, int ranks, double bytes) {
  if (operation == Operation::all_to_all) {
    const double sent = bytes / ranks / ranks * (ranks - 1);
    return {.messages = ranks - 1.0, .moved = sent, .reduced = 0, .sent = sent, .rounds = ranks > 1 ? 1 : 0};
  }
  Cost cost = ring_cost(operation, ranks, bytes);
  if (ranks > 1) cost.rounds = operation == Operation::all_reduce ? 2 : 1;
  return cost;
}

}  // namespace lockstep::collective
