#include "reference_trainer/plan/collective/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference_trainer/plan/collective/walk.h"

namespace lockstep::collective {
namespace {

/// How often each rank's contribution is in a chunk at one holder; all 0: the chunk holds nothing of meaning.
using Contributions = std::vector<int>;

/// Which rank brings a chunk of an all_to_all, and which gets it.
int source_of(const Program& program, int chunk) { return chunk / program.size(); }
int target_of(const Program& program, int chunk) { return chunk % program.size(); }

/// Which rank brings or gets the chunk, where chunks are shards: reduce_scatter and all_gather.
int shard_owner(const Program& program, int chunk) { return chunk * program.size() / program.chunks; }

std::string show(const Contributions& contributions) {
  std::vector<std::string> parts;
  for (size_t rank = 0; rank < contributions.size(); ++rank) {
    if (contributions[rank] == 1) parts.push_back(fmt::format("{}", rank));
    if (contributions[rank] > 1) parts.push_back(fmt::format("{} ({} times)", rank, contributions[rank]));
  }
  return parts.empty() ? "nothing" : fmt::format("contributions of ranks {}", fmt::join(parts, ", "));
}

class Checker {
 public:
  explicit Checker(const Program& program) : program_(program) {
    for (int rank = 0; rank < program.size(); ++rank) {
      for (int chunk = 0; chunk < program.chunks; ++chunk) held_.push_back(at_start(rank, chunk));
    }
  }

  std::string run() {
    check_rounds();
    if (!problems_.empty()) return report();
    const auto standings =
        walk(program_, {.matched = [this](const Match& match) { move(match); }, .round_done = [](int, size_t) {}});
    for (int rank = 0; rank < program_.size(); ++rank) describe_blocked(rank, standings);
    if (problems_.empty()) check_end();
    return report();
  }

 private:
  Contributions& held(int rank, int chunk) { return held_[static_cast<size_t>(rank * program_.chunks + chunk)]; }

  Contributions only(int rank) const {
    Contributions contributions(program_.ranks.size(), 0);
    contributions[static_cast<size_t>(rank)] = 1;
    return contributions;
  }
  Contributions nothing() const { return Contributions(program_.ranks.size(), 0); }
  Contributions everybody() const { return Contributions(program_.ranks.size(), 1); }

  Contributions at_start(int rank, int chunk) const {
    if (program_.operation == Operation::broadcast) return rank == program_.root ? only(rank) : nothing();
    if (program_.operation == Operation::all_gather)
      return rank == shard_owner(program_, chunk) ? only(rank) : nothing();
    if (program_.operation == Operation::all_to_all) return rank == source_of(program_, chunk) ? only(rank) : nothing();
    return only(rank);
  }

  /// What the operation promises for a chunk at a rank; empty: no promise.
  Contributions at_end(int rank, int chunk) const {
    switch (program_.operation) {
      case Operation::all_reduce:
        return everybody();
      case Operation::reduce_scatter:
        return rank == shard_owner(program_, chunk) ? everybody() : Contributions();
      case Operation::all_gather:
        return only(shard_owner(program_, chunk));
      case Operation::broadcast:
        return only(program_.root);
      case Operation::reduce:
        return rank == program_.root ? everybody() : Contributions();
      case Operation::all_to_all:
        return rank == target_of(program_, chunk) ? only(source_of(program_, chunk)) : Contributions();
    }
    return {};
  }

  /// Rules that need no execution: existing peers and chunks, and no chunk both read and written in a round.
  void check_rounds() {
    if (program_.operation == Operation::all_to_all && program_.chunks != program_.size() * program_.size())
      problem("{} chunks, where an all_to_all of {} ranks has {}", program_.chunks, program_.size(),
              program_.size() * program_.size());
    for (int rank = 0; rank < program_.size(); ++rank) {
      const auto& rounds = program_.ranks[static_cast<size_t>(rank)];
      for (size_t round = 0; round < rounds.size(); ++round) check_round(rank, round, rounds[round]);
    }
  }

  void check_round(int rank, size_t index, const Round& round) {
    const std::string place = fmt::format("rank {} round {}", rank, index);
    if (round.empty()) problem("{}: a round without transfers", place);
    for (size_t i = 0; i < round.size(); ++i) {
      const Transfer& a = round[i];
      if (a.peer < 0 || a.peer >= program_.size() || a.peer == rank) problem("{}: no peer {}", place, a.peer);
      if (a.first < 0 || a.count < 1 || a.first > program_.chunks - a.count) {
        problem("{}: {}+{} are not chunks of {}", place, a.first, a.count, program_.chunks);
      }
      for (size_t j = i + 1; j < round.size(); ++j) {
        const Transfer& b = round[j];
        const bool both_send = a.action == Action::send && b.action == Action::send;
        const bool both_reduce = a.action == Action::recv_reduce && b.action == Action::recv_reduce;
        if (overlap(a, b) && !both_send && !both_reduce) {
          problem("{}: chunks {}+{} and {}+{} overlap, and one of them is received", place, a.first, a.count, b.first,
                  b.count);
        }
      }
    }
  }

  void move(const Match& match) {
    if (match.send->first != match.recv->first || match.send->count != match.recv->count) {
      problem("rank {} sends chunks {}+{} to rank {}, which expects {}+{}", match.sender, match.send->first,
              match.send->count, match.receiver, match.recv->first, match.recv->count);
      return;
    }
    for (int chunk = match.send->first; chunk < match.send->first + match.send->count; ++chunk) {
      const Contributions& source = held(match.sender, chunk);
      if (source == nothing()) {
        problem("rank {} sends chunk {} to rank {} before it holds it", match.sender, chunk, match.receiver);
      }
      receive(match, chunk, source);
    }
  }

  void receive(const Match& match, int chunk, const Contributions& source) {
    Contributions& target = held(match.receiver, chunk);
    if (match.recv->action == Action::recv) {
      target = source;
      return;
    }
    for (size_t i = 0; i < target.size(); ++i) target[i] += source[i];
    if (std::ranges::any_of(target, [](int times) { return times > 1; })) {
      problem("rank {} reduces chunk {} from rank {} and then holds {}", match.receiver, chunk, match.sender,
              show(target));
    }
  }

  void describe_blocked(int rank, const std::vector<Standing>& standings) {
    const Standing& at = standings[static_cast<size_t>(rank)];
    const auto& rounds = program_.ranks[static_cast<size_t>(rank)];
    if (at.round >= rounds.size()) return;
    for (size_t i = 0; i < rounds[at.round].size(); ++i) {
      if (at.done[i]) continue;
      const Transfer& transfer = rounds[at.round][i];
      const size_t peer_round = standings[static_cast<size_t>(transfer.peer)].round;
      const bool peer_done = peer_round >= program_.ranks[static_cast<size_t>(transfer.peer)].size();
      problem("rank {} is blocked in round {}: {} rank {} of chunks {}+{}; rank {} is {}", rank, at.round,
              transfer.action == Action::send ? "send to" : "receive from", transfer.peer, transfer.first,
              transfer.count, transfer.peer, peer_done ? "finished" : fmt::format("in round {}", peer_round));
    }
  }

  void check_end() {
    for (int rank = 0; rank < program_.size(); ++rank) {
      for (int chunk = 0; chunk < program_.chunks; ++chunk) {
        const Contributions wanted = at_end(rank, chunk);
        if (wanted.empty() || held(rank, chunk) == wanted) continue;
        problem("rank {} ends with {} in chunk {}; it should hold {}", rank, show(held(rank, chunk)), chunk,
                show(wanted));
      }
    }
  }

  template <typename... Values>
  void problem(fmt::format_string<Values...> format, Values&&... values) {
    problems_.push_back(fmt::format(format, std::forward<Values>(values)...));
  }

  std::string report() const {
    if (problems_.empty()) return {};
    return fmt::format("collective program {} {} on {} ranks is wrong:\n  {}\n{}", name(program_.operation),
                       program_.algorithm, program_.size(), fmt::join(problems_, "\n  "), print(program_));
  }

  const Program& program_;
  std::vector<Contributions> held_;
  std::vector<std::string> problems_;
};

}  // namespace

std::string check(const Program& program) { return Checker(program).run(); }

}  // namespace lockstep::collective
