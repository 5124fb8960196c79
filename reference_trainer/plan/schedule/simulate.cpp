#include "reference_trainer/plan/schedule/simulate.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "adapters/contract/invariant.h"
#include "reference_trainer/plan/schedule/check.h"

namespace lockstep::schedule {
namespace {

double idle_share(const std::vector<double>& busy, double time) {
  const double all = time * static_cast<double>(busy.size());
  return all > 0 ? (all - std::accumulate(busy.begin(), busy.end(), 0.0)) / all : 0;
}

void sum_up(const std::vector<double>& first, const std::vector<double>& last, Simulation& out) {
  for (size_t rank = 0; rank < first.size(); ++rank) {
    out.makespan = std::max(out.makespan, last[rank]);
    out.longest_span = std::max(out.longest_span, last[rank] - first[rank]);
  }
  out.bubble = idle_share(out.busy, out.makespan);
  out.span_bubble = idle_share(out.busy, out.longest_span);
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
