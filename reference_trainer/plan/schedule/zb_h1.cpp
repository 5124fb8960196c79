// Zero bubble H1 (Qi et al. 2023, "Zero Bubble Pipeline Parallelism"): 1F1B's order with the backward split into I
// (input gradient, on which the stage before waits) and W (weight gradient, on which nobody waits). Stage s does W of a
// microbatch s microbatches after its I, so that W fills what was idle at the end, and every rank holds p activations.
//
//   idle time of a rank  (p-1) (F+I-W), from its first to its last action, for m >= p and W <= F, I
//   activations held     min(p, m); one counts until its W
#include <algorithm>

#include "reference_trainer/plan/schedule/generators.h"

namespace lockstep::schedule {

Actions split_list(int stage, int microbatches, int warmup, int lag) {
  Actions list;
  for (const Action& action : one_f_one_b_list(stage, microbatches, warmup)) {
    if (action.kind == ActionKind::F) {
      list.push_back(action);
      continue;
    }
    list.push_back({stage, ActionKind::I, action.microbatch});
    if (action.microbatch >= lag) list.push_back({stage, ActionKind::W, action.microbatch - lag});
  }
  for (int m = std::max(microbatches - lag, 0); m < microbatches; ++m) list.push_back({stage, ActionKind::W, m});
  return list;
}

Schedule zb_h1(const Numbers& n) {
  Schedule out = empty_schedule("zb_h1", n);
  for (int rank = 0; rank < n.ranks; ++rank) {
    out.ranks[static_cast<size_t>(rank)] = split_list(rank, n.microbatches, n.ranks - 1 - rank, rank);
  }
  return out;
}

double zb_h1_idle(const Numbers& n, const Times& t) { return (n.ranks - 1) * (t.forward + t.input - t.weight); }

int zb_h1_in_flight(const Numbers& n, int) { return std::min(n.ranks, n.microbatches); }

}  // namespace lockstep::schedule
