// Rabenseifner (2004; Thakur et al. 2005): reduce-scatter by recursive halving, then all-gather by recursive doubling,
// on q = 2^k ranks. Other rank counts p are folded first: of the first 2(p-q) ranks each even one gives its whole
// buffer to its odd neighbour, stands aside, and gets the result back at the end. With N bytes a rank, q chunks:
//
//   p = q   2k alpha + 2(q-1)/q N beta + (q-1)/q N gamma
//   p > q   the same + 2 alpha + 2N beta + N gamma
//
// Most bytes sent by a rank: 2(q-1)/q N, and N more by the odd ranks of a fold. Few rounds and few bytes.
#include <bit>

#include "reference_trainer/plan/collective/generators.h"

namespace lockstep::collective {
namespace {

/// Where ranks stand after the fold: the active ones are numbered 0 .. q-1.
struct Fold {
  explicit Fold(int ranks)
      : active(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))), extra(ranks - active) {}
  bool folded(int rank) const { return rank < 2 * extra; }
  bool stands_aside(int rank) const { return folded(rank) && rank % 2 == 0; }
  int position(int rank) const { return folded(rank) ? rank / 2 : rank - extra; }
  int rank_at(int position) const { return position < extra ? 2 * position + 1 : position + extra; }

  int active;  ///< q
  int extra;   ///< p - q
};

/// Chunks that the position holds when blocks of `width` chunks are dealt: its own block of the pair's two.
int block_of(int position, int width) { return position / width * width; }

void add_halving(std::vector<Round>& rounds, const Fold& fold, int position) {
  for (int width = fold.active / 2; width >= 1; width /= 2) {
    const int peer = position ^ width;
    rounds.push_back({{Action::send, fold.rank_at(peer), block_of(peer, width), width},
                      {Action::recv_reduce, fold.rank_at(peer), block_of(position, width), width}});
  }
}

void add_doubling(std::vector<Round>& rounds, const Fold& fold, int position) {
  for (int width = 1; width < fold.active; width *= 2) {
    const int peer = position ^ width;
    rounds.push_back({{Action::send, fold.rank_at(peer), block_of(position, width), width},
                      {Action::recv, fold.rank_at(peer), block_of(peer, width), width}});
  }
}

std::vector<Round> rounds_of(int rank, const Fold& fold) {
  const int all = fold.active;
  if (fold.stands_aside(rank)) return {{{Action::send, rank + 1, 0, all}}, {{Action::recv, rank + 1, 0, all}}};
  std::vector<Round> rounds;
  if (fold.folded(rank)) rounds.push_back({{Action::recv_reduce, rank - 1, 0, all}});
  add_halving(rounds, fold, fold.position(rank));
  add_doubling(rounds, fold, fold.position(rank));
  if (fold.folded(rank)) rounds.push_back({{Action::send, rank - 1, 0, all}});
  return rounds;
}

}  // namespace

Program rabenseifner(Operation operation, int ranks, int root) {
  const Fold fold(ranks);
  Program program = empty_program("rabenseifner", operation, ranks, fold.active, root);
  for (int rank = 0; rank < ranks; ++rank) program.ranks[static_cast<size_t>(rank)] = rounds_of(rank, fold);
  return program;
}

Cost rabenseifner_cost(Operation, int ranks, double bytes) {
  const Fold fold(ranks);
  const int k = std::countr_zero(static_cast<unsigned>(fold.active));
  const int folded = fold.extra > 0 ? 1 : 0;
  const double pass = bytes / fold.active * (fold.active - 1);
  return {.messages = 2.0 * k + 2 * folded,
          .moved = 2 * pass + 2 * folded * bytes,
          .reduced = pass + folded * bytes,
          .sent = 2 * pass + folded * bytes,
          .rounds = 2 * k + 2 * folded};
}

}  // namespace lockstep::collective
