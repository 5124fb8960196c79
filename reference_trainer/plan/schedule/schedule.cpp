#include "reference_trainer/plan/schedule/schedule.h"

namespace lockstep::schedule {

int Schedule::rank_of(int stage, int64_t microbatch) const {
  return placement[static_cast<size_t>(direction[static_cast<size_t>(microbatch)])][static_cast<size_t>(stage)];
}

bool Schedule::crosses(int stage, int64_t microbatch) const {
  return stage + 1 < stages() && rank_of(stage, microbatch) != rank_of(stage + 1, microbatch);
}

Schedule empty_schedule(std::string_view name, const Numbers& numbers) {
  Schedule out{.name = std::string(name), .numbers = numbers, .placement = {{}}, .direction = {}, .ranks = {}};
  for (int stage = 0; stage < numbers.ranks * numbers.chunks; ++stage) {
    out.placement[0].push_back(stage % numbers.ranks);
  }
  out.direction.resize(static_cast<size_t>(numbers.microbatches), 0);
  out.ranks.resize(static_cast<size_t>(numbers.ranks));
  return out;
}

int peer_of(const Schedule& schedule, const Action& transfer) {
  const bool to_next = transfer.kind == ActionKind::SEND_F || transfer.kind == ActionKind::RECV_B;
  const int stage = transfer.stage + (to_next ? 1 : -1);
  return stage < 0 || stage >= schedule.stages() ? -1 : schedule.rank_of(stage, transfer.microbatch);
}

Action partner_of(const Action& transfer) {
  switch (transfer.kind) {
    case ActionKind::SEND_F:
      return {transfer.stage + 1, ActionKind::RECV_F, transfer.microbatch};
    case ActionKind::RECV_F:
      return {transfer.stage - 1, ActionKind::SEND_F, transfer.microbatch};
    case ActionKind::SEND_B:
      return {transfer.stage - 1, ActionKind::RECV_B, transfer.microbatch};
    default:
      return {transfer.stage + 1, ActionKind::SEND_B, transfer.microbatch};
  }
}

}  // namespace lockstep::schedule
