// Zero bubble H2 (Qi et al. 2023): as H1 with twice the forwards to start with, 2(p-1-s), which fill the wait for the
// first gradient, and W later by 2s microbatches. Ranks end one after the other as they began, so the next step may
// start where its rank has ended (the paper checks the global norm afterwards for that).
//
//   idle time of a rank  (p-1) (F+I-2W), from its first to its last action, for m >= 2p-1 and W <= F, I; none where
//                        F = I = W
//   activations held     min(2p-1, m); one counts until its W
#include <algorithm>

#include "reference_trainer/plan/schedule/generators.h"

namespace lockstep::schedule {

Schedule zb_h2(const Numbers& n) {
  Schedule out = empty_schedule("zb_h2", n);
  for (int rank = 0; rank < n.ranks; ++rank) {
    out.ranks[static_cast<size_t>(rank)] = split_list(rank, n.microbatches, 2 * (n.ranks - 1 - rank), 2 * rank);
  }
  return out;
}

double zb_h2_idle(const Numbers& n, const Times& t) { return (n.ranks - 1) * (t.forward + t.input - 2 * t.weight); }

int zb_h2_in_flight(const Numbers& n, int) { return std::min(2 * n.ranks - 1, n.microbatches); }

}  // namespace lockstep::schedule
