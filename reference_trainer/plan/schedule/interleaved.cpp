// Interleaved 1F1B (Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters",
// Megatron-LM's order): each rank has v chunks of layers; stage s lies on rank s mod p. Microbatches go in groups of p:
// a rank runs a group through its first chunk, then through its second, and so on; m must be a multiple of p.
//
//   idle time of a rank  (p-1) (F+B) with F and B of one chunk, 1/v of 1F1B's
//   share of the step    (p-1)/(v m + p-1)
//   activations held     min(2(p-1-r) + (v-1) p + 1, m v) of one chunk at rank r
//   transfers            v times those of 1F1B
#include <algorithm>

#include "reference_trainer/plan/schedule/generators.h"

namespace lockstep::schedule {
namespace {

/// The k-th forward of a rank, or the k-th backward.
Action interleaved_action(const Numbers& n, int rank, ActionKind kind, int k) {
  const int group = n.ranks * n.chunks;
  int chunk = k % group / n.ranks;
  if (kind == ActionKind::B) chunk = n.chunks - 1 - chunk;
  return {chunk * n.ranks + rank, kind, k / group * n.ranks + k % n.ranks};
}

int interleaved_warmup(const Numbers& n, int rank) {
  return std::min(2 * (n.ranks - 1 - rank) + (n.chunks - 1) * n.ranks, n.microbatches * n.chunks);
}

}  // namespace

Schedule interleaved(const Numbers& n) {
  Schedule out = empty_schedule("interleaved", n);
  const int all = n.microbatches * n.chunks;
  for (int rank = 0; rank < n.ranks; ++rank) {
    Actions& list = out.ranks[static_cast<size_t>(rank)];
    const int ahead = interleaved_warmup(n, rank);
    for (int k = 0; k < ahead; ++k) list.push_back(interleaved_action(n, rank, ActionKind::F, k));
    for (int k = 0; k < all; ++k) {
      if (k + ahead < all) list.push_back(interleaved_action(n, rank, ActionKind::F, k + ahead));
      list.push_back(interleaved_action(n, rank, ActionKind::B, k));
    }
  }
  return out;
}

double interleaved_idle(const Numbers& n, const Times& t) { return (n.ranks - 1) * (t.forward + t.backward()); }

int interleaved_in_flight(const Numbers& n, int rank) {
  return std::min(interleaved_warmup(n, rank) + 1, n.microbatches * n.chunks);
}

}  // namespace lockstep::schedule
