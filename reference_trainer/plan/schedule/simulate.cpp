#include "reference_trainer/plan/schedule/simulate.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "adapters/contract/invariant.h"
#include "reference_trainer/plan/schedule/check.h"

namespace lockstep::schedule {
namespace {

void sum_up(const std::vector<double>& first, const std::vector<double>& last, Simulation& out) {
  for (size_t rank = 0; rank < first.size(); ++rank) {
    const double span = last[rank] - first[rank];
    out.makespan = std::max(out.makespan, last[rank]);
    if (span <= out.longest_span) continue;
    out.longest_span = span;
    out.span_bubble = (span - out.busy[rank]) / span;
  }
  const double all = out.makespan * static_cast<double>(first.size());
  if (all > 0) out.bubble = (all - std::accumulate(out.busy.begin(), out.busy.end(), 0.0)) / all;
}

}  // namespace

double slowest_stage(const std::vector<Times>& stages) {
  double slowest = 0;
  for (const Times& times : stages) slowest = std::max(slowest, times.forward + times.backward());
  return slowest;
}

Simulation simulate(const Schedule& schedule, const Durations& durations, Crossing crossing) {
  const Walk walked = walk(schedule, durations, crossing);
  LOCKSTEP_INVARIANT(walked.finished, "{}", check(schedule));
  Simulation out;
  const size_t ranks = schedule.ranks.size();
  out.busy.resize(ranks, 0);
  std::vector<double> first(ranks, std::numeric_limits<double>::max()), last(ranks, 0);
  std::vector<Actions> ran(ranks);
  for (const Event& event : walked.events) {
    const auto rank = static_cast<size_t>(event.rank);
    const Action& action = schedule.ranks[rank][event.index];
    ran[rank].push_back(action);
    if (event.end == event.start) continue;
    first[rank] = std::min(first[rank], event.start);
    last[rank] = std::max(last[rank], event.end);
    if (computes(action.kind)) out.busy[rank] += event.end - event.start;
    out.intervals.push_back({event.rank, event.start, event.end, action.kind, action.stage, action.microbatch});
  }
  for (const Actions& list : ran) out.most_held.push_back(most_held(list));
  sum_up(first, last, out);
  return out;
}

}  // namespace lockstep::schedule
