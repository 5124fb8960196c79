// Binomial tree (Thakur et al. 2005): whole buffers go up to the root and down again, in k = ceil(log2 p) rounds each
// way. With N bytes a rank, one chunk:
//
//   reduce      k (alpha + N beta + N gamma)       a rank sends at most N bytes
//   broadcast   k (alpha + N beta)                 the root sends k N bytes
//   all_reduce  2k (alpha + N beta) + k N gamma    rank 0 sends k N bytes
//
// Fewest rounds for short messages at any rank count; it moves most bytes.
#include <bit>

#include "reference_trainer/plan/collective/generators.h"

namespace lockstep::collective {
namespace {

int depth(int ranks) { return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1))); }

/// A rank's place in the tree: positions count from the root, position v's parent is v without its lowest set bit.
struct Place {
  int position, ranks, root;
  Place(int rank, int ranks_, int root_) : position((rank - root_ + ranks_) % ranks_), ranks(ranks_), root(root_) {}

  int rank_at(int other) const { return (other + root) % ranks; }
  /// Levels below this rank: it has a child position + 2^i for each i below that exists.
  int levels() const { return position == 0 ? depth(ranks) : std::countr_zero(static_cast<unsigned>(position)); }
  int parent() const { return rank_at(position & (position - 1)); }
  bool has_child(int level) const { return position + (1 << level) < ranks; }
  int child(int level) const { return rank_at(position + (1 << level)); }
};

void add_reduce(std::vector<Round>& rounds, const Place& place) {
  for (int level = 0; level < place.levels(); ++level) {
    if (place.has_child(level)) rounds.push_back({{Action::recv_reduce, place.child(level), 0, 1}});
  }
  if (place.position != 0) rounds.push_back({{Action::send, place.parent(), 0, 1}});
}

void add_broadcast(std::vector<Round>& rounds, const Place& place) {
  if (place.position != 0) rounds.push_back({{Action::recv, place.parent(), 0, 1}});
  for (int level = place.levels() - 1; level >= 0; --level) {
    if (place.has_child(level)) rounds.push_back({{Action::send, place.child(level), 0, 1}});
  }
}

}  // namespace

Program tree(Operation operation, int ranks, int root) {
  Program program = empty_program("tree", operation, ranks, 1, root);
  for (int rank = 0; rank < ranks; ++rank) {
    const Place place(rank, ranks, root);
    std::vector<Round>& rounds = program.ranks[static_cast<size_t>(rank)];
    if (operation != Operation::broadcast) add_reduce(rounds, place);
    if (operation != Operation::reduce) add_broadcast(rounds, place);
  }
  return program;
}

Cost tree_cost(Operation operation, int ranks, double bytes) {
  const int k = depth(ranks);
  const int ways = operation == Operation::all_reduce ? 2 : 1;
  const int sends = operation == Operation::reduce ? (ranks > 1 ? 1 : 0) : k;
  return {.messages = static_cast<double>(ways * k),
          .moved = ways * k * bytes,
          .reduced = operation == Operation::broadcast ? 0 : k * bytes,
          .sent = sends * bytes,
          .rounds = ways * k};
}

}  // namespace lockstep::collective
