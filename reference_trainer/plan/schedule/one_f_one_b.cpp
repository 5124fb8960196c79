// 1F1B with flush (PipeDream-Flush: Narayanan et al. 2021; DAPPLE: Fan et al. 2021): p-1-s forwards to start with, then
// one forward and one backward in turn, then the backwards that are left.
//
//   idle time of a rank  (p-1) (F+B)        share of the step  (p-1)/(m+p-1)
//   activations held     min(p-s, m) at stage s
#include <algorithm>

#include "reference_trainer/plan/schedule/generators.h"

namespace lockstep::schedule {

Actions one_f_one_b_list(int stage, int microbatches, int warmup) {
  Actions list;
  const int ahead = std::min(warmup, microbatches);
  for (int m = 0; m < ahead; ++m) list.push_back({stage, ActionKind::F, m});
  for (int m = 0; m < microbatches; ++m) {
    if (m + ahead < microbatches) list.push_back({stage, ActionKind::F, m + ahead});
    list.push_back({stage, ActionKind::B, m});
  }
  return list;
}

Schedule one_f_one_b(const Numbers& n) {
  Schedule out = empty_schedule("1f1b", n);
  for (int rank = 0; rank < n.ranks; ++rank) {
    out.ranks[static_cast<size_t>(rank)] = one_f_one_b_list(rank, n.microbatches, n.ranks - 1 - rank);
  }
  return out;
}

double one_f_one_b_idle(const Numbers& n, const Times& t) { return (n.ranks - 1) * (t.forward + t.backward()); }

int one_f_one_b_in_flight(const Numbers& n, int rank) { return std::min(n.ranks - rank, n.microbatches); }

}  // namespace lockstep::schedule
