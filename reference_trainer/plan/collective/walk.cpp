#include "reference_trainer/plan/collective/walk.h"

#include <algorithm>
#include <optional>

namespace lockstep::collective {
namespace {

class Walker {
 public:
  Walker(const Program& program, const WalkEvents& events) : program_(program), events_(events) {
    standings_.resize(program.ranks.size());
    for (size_t rank = 0; rank < standings_.size(); ++rank) enter(rank, 0);
  }

  std::vector<Standing> run() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (size_t rank = 0; rank < standings_.size(); ++rank) moved |= send_one(rank);
    }
    return std::move(standings_);
  }

 private:
  const Round* round_of(size_t rank) const {
    const Standing& at = standings_[rank];
    return at.round < program_.ranks[rank].size() ? &program_.ranks[rank][at.round] : nullptr;
  }

  void enter(size_t rank, size_t round) {
    standings_[rank].round = round;
    const Round* entered = round_of(rank);
    standings_[rank].done.assign(entered == nullptr ? 0 : entered->size(), false);
  }

  /// The open receive of `receiver` from `sender` in its round whose turn has come.
  std::optional<size_t> open_receive(size_t receiver, int sender) const {
    const Round* round = round_of(receiver);
    if (round == nullptr) return {};
    const std::vector<bool>& done = standings_[receiver].done;
    for (size_t i = 0; i < round->size(); ++i) {
      if ((*round)[i].action == Action::send || (*round)[i].peer != sender || done[i]) continue;
      if (may_receive(*round, i, done)) return i;
      return {};
    }
    return {};
  }

  /// Moves the first of the rank's open sends that finds its receiver. To one peer sends go in order.
  bool send_one(size_t rank) {
    const Round* round = round_of(rank);
    if (round == nullptr) return false;
    std::vector<int> blocked_peers;
    for (size_t i = 0; i < round->size(); ++i) {
      const Transfer& send = (*round)[i];
      if (send.action != Action::send || standings_[rank].done[i]) continue;
      if (std::ranges::find(blocked_peers, send.peer) != blocked_peers.end()) continue;
      const auto peer = static_cast<size_t>(send.peer);
      const auto receive = open_receive(peer, static_cast<int>(rank));
      if (!receive) {
        blocked_peers.push_back(send.peer);
        continue;
      }
      events_.matched({static_cast<int>(rank), send.peer, &send, &(*round_of(peer))[*receive]});
      finish(rank, i);
      finish(peer, *receive);
      return true;
    }
    return false;
  }

  void finish(size_t rank, size_t transfer) {
    std::vector<bool>& done = standings_[rank].done;
    done[transfer] = true;
    if (!std::ranges::all_of(done, [](bool each) { return each; })) return;
    events_.round_done(static_cast<int>(rank), standings_[rank].round);
    enter(rank, standings_[rank].round + 1);
  }

  const Program& program_;
  const WalkEvents& events_;
  std::vector<Standing> standings_;
};

}  // namespace

std::vector<Standing> walk(const Program& program, const WalkEvents& events) { return Walker(program, events).run(); }

}  // namespace lockstep::collective
