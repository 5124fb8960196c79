// Layers on different ranks without pipelining (inter-layer partition; Dean et al. 2012 place layers so): each
// microbatch goes forward and backward through all stages before the next one starts, so that one rank works at a time.
//
//   idle time of a rank  m (p-1) (F+B)      share of the step  (p-1)/p
//   activations held     1
#include "reference_trainer/plan/schedule/generators.h"

namespace lockstep::schedule {

Schedule naive(const Numbers& n) {
  Schedule out = empty_schedule("naive", n);
  for (int rank = 0; rank < n.ranks; ++rank) {
    out.ranks[static_cast<size_t>(rank)] = one_f_one_b_list(rank, n.microbatches, 0);
  }
  return out;
}

double naive_idle(const Numbers& n, const Times& t) {
  return static_cast<double>(n.microbatches) * (n.ranks - 1) * (t.forward + t.backward());
}

int naive_in_flight(const Numbers&, int) { return 1; }

}  // namespace lockstep::schedule
