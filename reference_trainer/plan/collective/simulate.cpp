#include "reference_trainer/plan/collective/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "adapters/contract/invariant.h"
#include "reference_trainer/plan/collective/check.h"
#include "reference_trainer/plan/collective/walk.h"

namespace lockstep::collective {
namespace {

/// A rank's clocks in seconds.
struct Clocks {
  double entered = 0;    ///< its present round
  double round_end = 0;  ///< latest end of the round's transfers so far
  double send_port = 0;  ///< free again
  double recv_port = 0;
};

int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

class Simulator {
 public:
  Simulator(const Program& program, int64_t elements, int element_bytes, const Link& link)
      : program_(program), elements_(elements), element_bytes_(element_bytes), link_(link) {
    const auto ranks = program.ranks.size();
    clocks_.resize(ranks);
    result_.finished.resize(ranks);
    result_.sent.resize(ranks);
    result_.received.resize(ranks);
    result_.messages.resize(ranks);
    result_.timeline.origin = activity::Origin::planned;
    result_.timeline.names = {fmt::format("{} {}", name(program.operation), program.algorithm)};
    for (size_t rank = 0; rank < ranks; ++rank) {
      result_.timeline.tracks.push_back({static_cast<int32_t>(rank), "communication"});
    }
  }

  Simulation run() {
    const auto standings = walk(program_, {.matched = [this](const Match& match) { move(match); },
                                           .round_done = [this](int rank, size_t round) { end_round(rank, round); }});
    for (size_t rank = 0; rank < standings.size(); ++rank) {
      LOCKSTEP_INVARIANT(standings[rank].round == program_.ranks[rank].size(), "{}", check(program_));
      result_.finished[rank] = clocks_[rank].entered;
      result_.rounds = std::max(result_.rounds, static_cast<int>(program_.ranks[rank].size()));
    }
    result_.seconds = *std::ranges::max_element(result_.finished);
    return std::move(result_);
  }

 private:
  int64_t bytes(const Transfer& transfer) const {
    return chunk_range(elements_, program_.chunks, transfer.first, transfer.count).size() * element_bytes_;
  }

  void move(const Match& match) {
    Clocks& from = clocks_[static_cast<size_t>(match.sender)];
    Clocks& to = clocks_[static_cast<size_t>(match.receiver)];
    const auto size = static_cast<double>(bytes(*match.send));
    const double start = std::max({from.entered, to.entered, from.send_port, to.recv_port});
    const double arrived = start + (link_.alpha + size * link_.beta);
    const double taken = match.recv->action == Action::recv_reduce ? arrived + size * link_.gamma : arrived;
    from.send_port = arrived;
    to.recv_port = taken;
    from.round_end = std::max(from.round_end, arrived);
    to.round_end = std::max(to.round_end, taken);
    result_.sent[static_cast<size_t>(match.sender)] += bytes(*match.send);
    result_.received[static_cast<size_t>(match.receiver)] += bytes(*match.send);
    ++result_.messages[static_cast<size_t>(match.sender)];
  }

  void end_round(int rank, size_t round) {
    Clocks& clocks = clocks_[static_cast<size_t>(rank)];
    int64_t sent = 0;
    for (const Transfer& transfer : program_.ranks[static_cast<size_t>(rank)][round]) {
      if (transfer.action == Action::send) sent += bytes(transfer);
    }
    result_.timeline.activities.push_back({.begin_ns = nanoseconds(clocks.entered),
                                           .end_ns = nanoseconds(clocks.round_end),
                                           .track = static_cast<uint32_t>(rank),
                                           .kind = activity::Kind::communication,
                                           .bytes = sent});
    clocks.entered = clocks.round_end;
  }

  const Program& program_;
  int64_t elements_;
  int element_bytes_;
  Link link_;
  std::vector<Clocks> clocks_;
  Simulation result_;
};

}  // namespace

Simulation simulate(const Program& program, int64_t elements, int element_bytes, const Link& link) {
  return Simulator(program, elements, element_bytes, link).run();
}

}  // namespace lockstep::collective
