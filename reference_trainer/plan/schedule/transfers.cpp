#include "reference_trainer/plan/schedule/transfers.h"

#include <algorithm>
#include <tuple>

#include "adapters/contract/invariant.h"
#include "reference_trainer/plan/schedule/check.h"
#include "reference_trainer/plan/schedule/walk.h"

namespace lockstep::schedule {
namespace {

/// A place in the global order.
struct Moment {
  double time = 0;
  bool computation = true;  ///< transfers come first
  int rank = 0;             ///< of the sender, for a transfer
  size_t index = 0;
  Action action;

  auto key() const { return std::tuple(time, computation, rank, index); }
};

/// What has to be sent after a computation: its SEND, if the border to its reader lies between ranks.
std::vector<Action> sends_after(const Schedule& schedule, const Action& action) {
  const auto [stage, kind, m] = action;
  if (kind == ActionKind::F && schedule.crosses(stage, m)) return {{stage, ActionKind::SEND_F, m}};
  const bool gives_input_gradient = kind == ActionKind::B || kind == ActionKind::I;
  if (gives_input_gradient && stage > 0 && schedule.crosses(stage - 1, m)) return {{stage, ActionKind::SEND_B, m}};
  return {};
}

}  // namespace

Schedule insert_transfers(const Schedule& schedule) {
  const Walk walked = walk(schedule, {.stages = {{}}}, Crossing::implied);
  LOCKSTEP_INVARIANT(walked.finished && !has_transfers(schedule), "{}", check(schedule));
  std::vector<Moment> moments;
  for (const Event& event : walked.events) {
    const Action& action = schedule.ranks[static_cast<size_t>(event.rank)][event.index];
    moments.push_back({event.start, true, event.rank, event.index, action});
    for (const Action& send : sends_after(schedule, action)) {
      moments.push_back({event.end, false, event.rank, event.index, send});
    }
  }
  std::ranges::sort(moments, {}, &Moment::key);
  Schedule out = schedule;
  for (Actions& list : out.ranks) list.clear();
  for (const Moment& moment : moments) {
    out.ranks[static_cast<size_t>(moment.rank)].push_back(moment.action);
    if (moment.computation) continue;
    out.ranks[static_cast<size_t>(peer_of(schedule, moment.action))].push_back(partner_of(moment.action));
  }
  return out;
}

}  // namespace lockstep::schedule
