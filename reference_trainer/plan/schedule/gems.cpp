// GEMS (Jain et al. 2020): two replicas of the model lie on the ranks in opposite directions; microbatches take them in
// turn. The forward of the next microbatch follows the backward of the last one through the ranks, so that a rank holds
// one microbatch's activations. Memory is what it saves: the bubble stays large, and parameters are there twice.
//
//   idle time of a rank  (p-1) (m B + F) where B >= F; the step takes m (p B + F) + (p-1) F
//   activations held     1
#include "reference_trainer/plan/schedule/generators.h"

namespace lockstep::schedule {

Schedule gems(const Numbers& n) {
  Schedule out = empty_schedule("gems", n);
  out.placement.push_back({out.placement[0].rbegin(), out.placement[0].rend()});
  for (int m = 0; m < n.microbatches; ++m) {
    out.direction[static_cast<size_t>(m)] = m % 2;
    for (int rank = 0; rank < n.ranks; ++rank) {
      const int stage = m % 2 == 0 ? rank : n.ranks - 1 - rank;
      Actions& list = out.ranks[static_cast<size_t>(rank)];
      list.push_back({stage, ActionKind::F, m});
      list.push_back({stage, ActionKind::B, m});
    }
  }
  return out;
}

double gems_idle(const Numbers& n, const Times& t) {
  return (n.ranks - 1) * (n.microbatches * t.backward() + t.forward);
}

int gems_in_flight(const Numbers&, int) { return 1; }

}  // namespace lockstep::schedule
