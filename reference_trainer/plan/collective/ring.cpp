// Ring, or bucket (Patarasuk and Yuan 2009): chunks travel round the ring, and each rank talks to its neighbours only.
// With p ranks and N bytes a rank, p chunks:
//
//   reduce_scatter  (p-1) alpha + (p-1)/p N (beta + gamma)
//   all_gather      (p-1) alpha + (p-1)/p N beta
//   all_reduce      2(p-1) alpha + 2(p-1)/p N beta + (p-1)/p N gamma
//
// Bytes sent by each rank: the coefficient of beta. Fewest bytes that are possible, most rounds.
#include "reference_trainer/plan/collective/generators.h"

namespace lockstep::collective {
namespace {

int modulo(int value, int p) { return ((value % p) + p) % p; }

/// In step s rank r passes chunk r - s - 1 on, so that chunk r arrives at rank r last, fully reduced.
void add_reduce_scatter(std::vector<Round>& rounds, int rank, int p) {
  for (int step = 0; step < p - 1; ++step) {
    rounds.push_back({{Action::send, modulo(rank + 1, p), modulo(rank - step - 1, p), 1},
                      {Action::recv_reduce, modulo(rank - 1, p), modulo(rank - step - 2, p), 1}});
  }
}

void add_all_gather(std::vector<Round>& rounds, int rank, int p) {
  for (int step = 0; step < p - 1; ++step) {
    rounds.push_back({{Action::send, modulo(rank + 1, p), modulo(rank - step, p), 1},
                      {Action::recv, modulo(rank - 1, p), modulo(rank - step - 1, p), 1}});
  }
}

}  // namespace

Program ring(Operation operation, int ranks, int root) {
  Program program = empty_program("ring", operation, ranks, ranks, root);
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Round>& rounds = program.ranks[static_cast<size_t>(rank)];
    if (operation != Operation::all_gather) add_reduce_scatter(rounds, rank, ranks);
    if (operation != Operation::reduce_scatter) add_all_gather(rounds, rank, ranks);
  }
  return program;
}

Cost ring_cost(Operation operation, int ranks, double bytes) {
  const int passes = operation == Operation::all_reduce ? 2 : 1;
  const double pass = bytes / ranks * (ranks - 1);
  return {.messages = static_cast<double>(passes * (ranks - 1)),
          .moved = passes * pass,
          .reduced = operation == Operation::all_gather ? 0 : pass,
          .sent = passes * pass,
          .rounds = passes * (ranks - 1)};
}

}  // namespace lockstep::collective
