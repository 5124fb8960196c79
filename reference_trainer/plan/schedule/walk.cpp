#include "reference_trainer/plan/schedule/walk.h"

#include <algorithm>
#include <optional>

namespace lockstep::schedule {
namespace {

constexpr double kNever = -1;

/// When each (stage, microbatch) was done with something; kNever: not yet.
class Moments {
 public:
  Moments(int stages, int microbatches)
      : microbatches_(microbatches), at_(static_cast<size_t>(stages) * static_cast<size_t>(microbatches), kNever) {}
  double& at(int stage, int64_t microbatch) {
    return at_[static_cast<size_t>(stage) * static_cast<size_t>(microbatches_) + static_cast<size_t>(microbatch)];
  }

 private:
  int microbatches_;
  std::vector<double> at_;
};

int held_change(ActionKind kind) {
  if (kind == ActionKind::F) return 1;
  return kind == ActionKind::B || kind == ActionKind::W ? -1 : 0;
}

/// The next action of a rank and when it can start.
struct Candidate {
  size_t index = 0;
  double start = 0;
};

class Walker {
 public:
  Walker(const Schedule& schedule, const Durations& durations, Crossing crossing)
      : schedule_(schedule),
        durations_(durations),
        crossing_(crossing),
        forward_(schedule.stages(), schedule.numbers.microbatches),
        input_(forward_),
        sent_f_(forward_),
        sent_b_(forward_),
        posted_f_(forward_),
        posted_b_(forward_),
        clocks_(schedule.ranks.size(), 0),
        held_(schedule.ranks.size(), 0) {
    out_.reached.resize(schedule.ranks.size(), 0);
    for (const Actions& list : schedule.ranks) {
      done_.emplace_back(list.size(), false);
      most_held_.push_back(most_held(list));
    }
  }

  Walk run() {
    while (step()) {
    }
    for (size_t rank = 0; rank < done_.size(); ++rank) out_.finished &= out_.reached[rank] == done_[rank].size();
    return std::move(out_);
  }

 private:
  /// Runs what can start first, of all ranks.
  bool step() {
    std::optional<Candidate> best;
    size_t best_rank = 0;
    for (size_t rank = 0; rank < done_.size(); ++rank) {
      const auto candidate = schedule_.order == Order::arrival ? first_ready(rank) : head(rank);
      if (candidate && (!best || candidate->start < best->start)) best = candidate, best_rank = rank;
    }
    if (best) execute(best_rank, *best);
    return best.has_value();
  }

  std::optional<Candidate> head(size_t rank) {
    const size_t index = out_.reached[rank];
    if (index >= done_[rank].size()) return {};
    const auto ready = ready_at(rank, schedule_.ranks[rank][index]);
    if (!ready) return {};
    return Candidate{index, std::max(*ready, clocks_[rank])};
  }

  /// The first action of the list that can start soonest, within the activations that the list itself would hold.
  std::optional<Candidate> first_ready(size_t rank) {
    std::optional<Candidate> best;
    for (size_t index = out_.reached[rank]; index < done_[rank].size(); ++index) {
      if (done_[rank][index]) continue;
      const Action& action = schedule_.ranks[rank][index];
      if (action.kind == ActionKind::F && held_[rank] >= most_held_[rank]) continue;
      const auto ready = ready_at(rank, action);
      if (!ready) continue;
      const double start = std::max(*ready, clocks_[rank]);
      if (!best || start < best->start) best = Candidate{index, start};
    }
    return best;
  }

  static std::optional<double> known(double moment) {
    return moment == kNever ? std::nullopt : std::optional<double>(moment);
  }

  std::optional<double> ready_at(size_t rank, const Action& action) {
    const auto [stage, kind, m] = action;
    switch (kind) {
      case ActionKind::F:
        return stage == 0 ? 0.0 : arrived(schedule_.crosses(stage - 1, m), forward_.at(stage - 1, m), stage, m, true);
      case ActionKind::B:
      case ActionKind::I:
        if (forward_.at(stage, m) == kNever) return {};
        if (stage + 1 == schedule_.stages()) return forward_.at(stage, m);
        return arrived(schedule_.crosses(stage, m), input_.at(stage + 1, m), stage, m, false);
      case ActionKind::W:
        return known(input_.at(stage, m));
      case ActionKind::SEND_F:
      case ActionKind::SEND_B: {
        const auto made = known(kind == ActionKind::SEND_F ? forward_.at(stage, m) : input_.at(stage, m));
        return made && crossing_ == Crossing::rendezvous ? meets(action) : made;
      }
      case ActionKind::RECV_F:
      case ActionKind::RECV_B:
        if (crossing_ == Crossing::rendezvous) return {};  // runs with its send
        return clocks_[rank];
      default:
        return clocks_[rank];
    }
  }

  /// When the input of an F or B is there: made on this rank, or come over the border.
  std::optional<double> arrived(bool crosses, double made, int stage, int64_t m, bool forward) {
    if (!crosses) return known(made);
    if (crossing_ == Crossing::implied) return made == kNever ? std::nullopt : known(made + durations_.transfer);
    const double sent = forward ? sent_f_.at(stage - 1, m) : sent_b_.at(stage + 1, m);
    const double posted = (forward ? posted_f_ : posted_b_).at(stage, m);
    if (sent == kNever || posted == kNever) return {};
    return std::max(posted, sent + durations_.transfer);
  }

  /// Rendezvous: when both sides of a send are at it.
  std::optional<double> meets(const Action& send) {
    const int peer = peer_of(schedule_, send);
    if (peer < 0) return {};
    const auto other = static_cast<size_t>(peer);
    const size_t index = out_.reached[other];
    if (index >= done_[other].size() || schedule_.ranks[other][index] != partner_of(send)) return {};
    return clocks_[other];
  }

  void execute(size_t rank, const Candidate& candidate) {
    const Action& action = schedule_.ranks[rank][candidate.index];
    const bool meeting = sends(action.kind) && crossing_ == Crossing::rendezvous;
    const double end = candidate.start + (meeting ? durations_.transfer : durations_.of(action));
    const auto peer = meeting ? static_cast<size_t>(peer_of(schedule_, action)) : rank;
    finish(rank, candidate, end);
    if (meeting) finish(peer, {out_.reached[peer], candidate.start}, end);
  }

  void finish(size_t rank, const Candidate& candidate, double end) {
    const Action& action = schedule_.ranks[rank][candidate.index];
    out_.events.push_back({static_cast<int>(rank), candidate.index, candidate.start, end});
    clocks_[rank] = end;
    held_[rank] += held_change(action.kind);
    note(action, candidate.start, end);
    done_[rank][candidate.index] = true;
    size_t& reached = out_.reached[rank];
    while (reached < done_[rank].size() && done_[rank][reached]) ++reached;
  }

  void note(const Action& action, double start, double end) {
    const auto [stage, kind, m] = action;
    if (kind == ActionKind::F) forward_.at(stage, m) = end;
    if (kind == ActionKind::B || kind == ActionKind::I) input_.at(stage, m) = end;
    if (kind == ActionKind::SEND_F) sent_f_.at(stage, m) = start;
    if (kind == ActionKind::SEND_B) sent_b_.at(stage, m) = start;
    if (kind == ActionKind::RECV_F) posted_f_.at(stage, m) = end;
    if (kind == ActionKind::RECV_B) posted_b_.at(stage, m) = end;
  }

  const Schedule& schedule_;
  const Durations& durations_;
  Crossing crossing_;
  Moments forward_, input_, sent_f_, sent_b_, posted_f_, posted_b_;
  std::vector<double> clocks_;
  std::vector<int> held_, most_held_;
  std::vector<std::vector<bool>> done_;
  Walk out_;
};

}  // namespace

double Durations::of(const Action& action) const {
  const Times& times = stages[stages.size() == 1 ? 0 : static_cast<size_t>(action.stage)];
  switch (action.kind) {
    case ActionKind::F:
      return times.forward;
    case ActionKind::B:
      return times.backward();
    case ActionKind::I:
      return times.input;
    case ActionKind::W:
      return times.weight;
    default:
      return 0;
  }
}

Walk walk(const Schedule& schedule, const Durations& durations, Crossing crossing) {
  return Walker(schedule, durations, crossing).run();
}

bool has_transfers(const Schedule& schedule) {
  return std::ranges::any_of(schedule.ranks, [](const Actions& list) {
    return std::ranges::any_of(list, [](const Action& a) { return sends(a.kind) || receives(a.kind); });
  });
}

int most_held(const Actions& list) {
  int held = 0, most = 0;
  for (const Action& action : list) most = std::max(most, held += held_change(action.kind));
  return most;
}

}  // namespace lockstep::schedule
