// GPipe (Huang et al. 2019): all forwards, then all backwards, then a flush.
//
//   idle time of a rank  (p-1) (F+B)        share of the step  (p-1)/(m+p-1)
//   activations held     m
//
// Backwards go in the order of the forwards (the paper draws the reverse, which takes the same time), so that gradients
// are summed in the order in which every other schedule sums them.
#include "reference_trainer/plan/schedule/generators.h"

namespace lockstep::schedule {

Schedule gpipe(const Numbers& n) {
  Schedule out = empty_schedule("gpipe", n);
  for (int rank = 0; rank < n.ranks; ++rank) {
    Actions& list = out.ranks[static_cast<size_t>(rank)];
    for (int m = 0; m < n.microbatches; ++m) list.push_back({rank, ActionKind::F, m});
    for (int m = 0; m < n.microbatches; ++m) list.push_back({rank, ActionKind::B, m});
  }
  return out;
}

double gpipe_idle(const Numbers& n, const Times& t) { return (n.ranks - 1) * (t.forward + t.backward()); }

int gpipe_in_flight(const Numbers& n, int) { return n.microbatches; }

}  // namespace lockstep::schedule
