#include "reference_trainer/plan/schedule/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "reference_trainer/plan/schedule/walk.h"

namespace lockstep::schedule {
namespace {

class Checker {
 public:
  Checker(const Schedule& schedule, const std::vector<int>& bound)
      : schedule_(schedule), bound_(bound), transfers_(has_transfers(schedule)) {}

  std::string run() {
    check_places();
    if (!problems_.empty()) return report();  // stages or microbatches that do not exist: nothing can be run
    check_counts();
    check_order();
    check_channels();
    check_progress();
    check_held();
    return report();
  }

 private:
  using Key = std::tuple<int, int64_t, ActionKind>;

  /// Each action names a stage and a microbatch that exist, on the rank where they lie.
  void check_places() {
    for (int rank = 0; rank < schedule_.size(); ++rank) {
      for (const Action& action : list(rank)) check_place(rank, action);
    }
  }

  void check_place(int rank, const Action& action) {
    if (action.kind >= ActionKind::GATHER) return;
    const int m = schedule_.numbers.microbatches;
    if (action.stage < 0 || action.stage >= schedule_.stages()) {
      problem("rank {}: {}: there are {} stages", rank, text::print(action), schedule_.stages());
    } else if (action.microbatch < 0 || action.microbatch >= m) {
      problem("rank {}: {}: there are {} microbatches", rank, text::print(action), m);
    } else if (const int home = schedule_.rank_of(action.stage, action.microbatch); home != rank) {
      problem("rank {}: {}: stage {} of microbatch {} lies on rank {}", rank, text::print(action), action.stage,
              action.microbatch, home);
    }
  }

  void check_counts() {
    for (int rank = 0; rank < schedule_.size(); ++rank) {
      for (size_t i = 0; i < list(rank).size(); ++i) {
        const Action& action = list(rank)[i];
        if (action.kind < ActionKind::GATHER) at_[{action.stage, action.microbatch, action.kind}].push_back(i);
      }
    }
    for (int m = 0; m < schedule_.numbers.microbatches; ++m) {
      for (int stage = 0; stage < schedule_.stages(); ++stage) check_counts_of(stage, m);
    }
  }

  void check_counts_of(int stage, int m) {
    expect({stage, ActionKind::F, m}, 1);
    const bool split = count({stage, ActionKind::I, m}) + count({stage, ActionKind::W, m}) > 0;
    expect({stage, ActionKind::B, m}, split ? 0 : 1);
    expect({stage, ActionKind::I, m}, split ? 1 : 0);
    expect({stage, ActionKind::W, m}, split ? 1 : 0);
    const int to_next = transfers_ && schedule_.crosses(stage, m) ? 1 : 0;
    const int from_last = transfers_ && stage > 0 && schedule_.crosses(stage - 1, m) ? 1 : 0;
    expect({stage, ActionKind::SEND_F, m}, to_next);
    expect({stage, ActionKind::RECV_B, m}, to_next);
    expect({stage, ActionKind::RECV_F, m}, from_last);
    expect({stage, ActionKind::SEND_B, m}, from_last);
  }

  size_t count(const Action& action) const {
    const auto found = at_.find({action.stage, action.microbatch, action.kind});
    return found == at_.end() ? 0 : found->second.size();
  }

  void expect(const Action& action, size_t wanted) {
    const size_t found = count(action);
    if (found != wanted) {
      problem("rank {}: {} stands {} times, wanted is {}", schedule_.rank_of(action.stage, action.microbatch),
              text::print(action), found, wanted);
    }
  }

  /// What must come before what in the list of one rank. What comes over a border is a matter of progress.
  void check_order() {
    using enum ActionKind;
    constexpr std::pair<ActionKind, ActionKind> kPairs[] = {{RECV_F, F}, {F, SEND_F}, {F, B},      {F, I},     {I, W},
                                                            {RECV_B, B}, {RECV_B, I}, {B, SEND_B}, {I, SEND_B}};
    for (const auto& [key, positions] : at_) {
      const auto& [stage, m, kind] = key;
      for (const auto& [first, second] : kPairs) {
        if (first != kind) continue;
        const auto later = at_.find({stage, m, second});
        if (later == at_.end() || positions.front() < later->second.front()) continue;
        problem("rank {}: {} comes after {}", schedule_.rank_of(stage, m), text::print(Action{stage, kind, m}),
                text::print(Action{stage, second, m}));
      }
    }
  }

  /// Sends of one rank to another, as the receives that they need, in order; and the receives that stand there.
  void check_channels() {
    std::map<std::pair<int, int>, std::pair<Actions, Actions>> channels;
    for (int rank = 0; rank < schedule_.size(); ++rank) {
      for (const Action& action : list(rank)) {
        const int peer = sends(action.kind) || receives(action.kind) ? peer_of(schedule_, action) : -1;
        if (peer < 0) continue;
        if (sends(action.kind)) channels[{rank, peer}].first.push_back(partner_of(action));
        if (receives(action.kind)) channels[{peer, rank}].second.push_back(action);
      }
    }
    for (const auto& [ends, channel] : channels) check_channel(ends.first, ends.second, channel.first, channel.second);
  }

  void check_channel(int from, int to, const Actions& sent, const Actions& received) {
    if (sent.size() != received.size()) {
      problem("rank {} sends {} messages to rank {}, which receives {}", from, sent.size(), to, received.size());
    }
    for (size_t i = 0; i < std::min(sent.size(), received.size()); ++i) {
      if (sent[i] == received[i]) continue;
      problem("message {} from rank {} to rank {} is {}, but rank {} receives {}", i, from, to,
              text::print(partner_of(sent[i])), to, text::print(received[i]));
      return;  // what follows is shifted
    }
  }

  void check_progress() {
    walk_ = walk(schedule_, {.stages = {{}}}, transfers_ ? Crossing::rendezvous : Crossing::implied);
    for (int rank = 0; rank < schedule_.size(); ++rank) {
      const size_t reached = walk_->reached[static_cast<size_t>(rank)];
      if (reached == list(rank).size()) continue;
      problem("rank {} is blocked at {} (action {} of {}): waits for {}", rank, text::print(list(rank)[reached]),
              reached + 1, list(rank).size(), reason(rank, list(rank)[reached]));
    }
  }

  std::string reason(int rank, const Action& action) const {
    if (sends(action.kind) || receives(action.kind)) return reason_of_transfer(rank, action);
    const auto [stage, kind, m] = action;
    if (kind == ActionKind::W) return missing({stage, ActionKind::I, m});
    if (kind == ActionKind::F) {
      const bool crosses = transfers_ && schedule_.crosses(stage - 1, m);
      return missing(crosses ? Action{stage, ActionKind::RECV_F, m} : Action{stage - 1, ActionKind::F, m});
    }
    if (!done({stage, ActionKind::F, m})) return missing({stage, ActionKind::F, m});
    if (transfers_ && schedule_.crosses(stage, m)) return missing({stage, ActionKind::RECV_B, m});
    const bool split = count({stage + 1, ActionKind::I, m}) > 0;
    return missing({stage + 1, split ? ActionKind::I : ActionKind::B, m});
  }

  std::string reason_of_transfer(int rank, const Action& action) const {
    const auto [stage, kind, m] = action;
    if (kind == ActionKind::SEND_F && !done({stage, ActionKind::F, m})) return missing({stage, ActionKind::F, m});
    const ActionKind backward = count({stage, ActionKind::I, m}) > 0 ? ActionKind::I : ActionKind::B;
    if (kind == ActionKind::SEND_B && !done({stage, backward, m})) return missing({stage, backward, m});
    const int peer = peer_of(schedule_, action);
    if (peer < 0 || peer == rank) return "a border that does not exist";
    return fmt::format("rank {} to come to {}; {}", peer, text::print(partner_of(action)), standing(peer));
  }

  std::string missing(const Action& action) const {
    const int rank = schedule_.rank_of(action.stage, action.microbatch);
    return fmt::format("{} of rank {}; {}", text::print(action), rank, standing(rank));
  }

  std::string standing(int rank) const {
    const size_t reached = walk_->reached[static_cast<size_t>(rank)];
    if (reached == list(rank).size()) return fmt::format("rank {} has finished", rank);
    return fmt::format("rank {} is at {}", rank, text::print(list(rank)[reached]));
  }

  bool done(const Action& action) const {
    const auto found = at_.find({action.stage, action.microbatch, action.kind});
    const int rank = schedule_.rank_of(action.stage, action.microbatch);
    return found != at_.end() && found->second.front() < walk_->reached[static_cast<size_t>(rank)];
  }

  void check_held() {
    for (size_t rank = 0; rank < bound_.size(); ++rank) {
      const int most = most_held(schedule_.ranks[rank]);
      if (most > bound_[rank]) problem("rank {} holds {} activations, the bound is {}", rank, most, bound_[rank]);
    }
  }

  const Actions& list(int rank) const { return schedule_.ranks[static_cast<size_t>(rank)]; }

  template <typename... Values>
  void problem(fmt::format_string<Values...> format, Values&&... values) {
    problems_.push_back(fmt::format(format, std::forward<Values>(values)...));
  }

  /// The lists; ">" stands before the action that a rank is blocked at.
  std::string picture() const {
    std::string out;
    for (int rank = 0; rank < schedule_.size(); ++rank) {
      out += fmt::format("rank {}:", rank);
      const size_t reached = walk_ ? walk_->reached[static_cast<size_t>(rank)] : list(rank).size();
      for (size_t i = 0; i < list(rank).size(); ++i) {
        out += fmt::format("{}{}", i == reached ? " > " : " ", text::print(list(rank)[i]));
      }
      out += '\n';
    }
    return out;
  }

  std::string report() const {
    if (problems_.empty()) return {};
    return fmt::format("schedule {} of {} ranks, {} stages, {} microbatches is wrong:\n  {}\n{}", schedule_.name,
                       schedule_.size(), schedule_.stages(), schedule_.numbers.microbatches,
                       fmt::join(problems_, "\n  "), picture());
  }

  const Schedule& schedule_;
  const std::vector<int>& bound_;
  bool transfers_;
  std::map<Key, std::vector<size_t>> at_;  ///< positions in the list of its rank
  std::optional<Walk> walk_;
  std::vector<std::string> problems_;
};

}  // namespace

std::string check(const Schedule& schedule, const std::vector<int>& bound) { return Checker(schedule, bound).run(); }

}  // namespace lockstep::schedule
