// PipeDream (Narayanan et al. 2019): 1F1B without a flush. Microbatches are numbered through the run, a stage updates
// its weights after every `per_update` backwards (STEP k: the update after microbatch k), and the pipeline never
// drains. Which weights a forward and a backward use, and how many versions a stage keeps: weights.h. `microbatches`
// are those of the whole run; periodic.h finds start, repeated body and end.
//
//   idle time of a rank  none between start and end of the run; (p-1) (F+B) once a run
//   activations held     min(p-s, m) at stage s
#include "reference_trainer/plan/schedule/generators.h"

namespace lockstep::schedule {

Schedule pipedream(const Numbers& n) {
  Schedule out = empty_schedule("pipedream", n);
  out.flushes = false;
  for (int rank = 0; rank < n.ranks; ++rank) {
    for (const Action& action : one_f_one_b_list(rank, n.microbatches, n.ranks - 1 - rank)) {
      Actions& list = out.ranks[static_cast<size_t>(rank)];
      list.push_back(action);
      const bool last = action.kind == ActionKind::B && (action.microbatch + 1) % n.per_update == 0;
      if (last) list.push_back({rank, ActionKind::STEP, action.microbatch});
    }
  }
  return out;
}

double pipedream_idle(const Numbers& n, const Times& t) { return one_f_one_b_idle(n, t); }

}  // namespace lockstep::schedule
