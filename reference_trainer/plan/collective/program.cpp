#include "reference_trainer/plan/collective/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"

namespace lockstep::collective {
namespace {

constexpr std::array<std::string_view, 6> kOperations = {"all_reduce", "reduce_scatter", "all_gather",
                                                         "broadcast",  "reduce",         "all_to_all"};
constexpr std::array<std::string_view, 3> kActions = {"send", "recv", "recv_reduce"};

std::string print(const Transfer& transfer) {
  return fmt::format("{} {} {}+{}", kActions[static_cast<size_t>(transfer.action)], transfer.peer, transfer.first,
                     transfer.count);
}

}  // namespace

Range chunk_range(int64_t n, int chunks, int first, int count) {
  const int64_t size = n / chunks;
  const int64_t longer = n % chunks;
  const auto begin_of = [&](int64_t chunk) { return chunk * size + std::min(chunk, longer); };
  return {begin_of(first), begin_of(int64_t{first} + count)};
}

bool overlap(const Transfer& a, const Transfer& b) {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

bool may_receive(const Round& round, size_t index, const std::vector<bool>& done) {
  for (size_t i = 0; i < index; ++i) {
    if (done[i] || round[i].action == Action::send) continue;
    if (round[i].peer == round[index].peer || overlap(round[i], round[index])) return false;
  }
  return true;
}

std::string_view name(Operation operation) { return kOperations[static_cast<size_t>(operation)]; }

Operation operation_of(std::string_view name) {
  const auto found = std::find(kOperations.begin(), kOperations.end(), name);
  if (found == kOperations.end()) {
    refuse({.place = "collective operation",
            .value = std::string(name),
            .rule = fmt::format("is none of {}", fmt::join(kOperations, ", ")),
            .remedy = fmt::format("did you mean {}?", nearest(name, kOperations))});
  }
  return static_cast<Operation>(found - kOperations.begin());
}

std::string print(const Program& program) {
  std::string out = fmt::format("{} {} chunks={} root={}\n", name(program.operation), program.algorithm, program.chunks,
                                program.root);
  for (int rank = 0; rank < program.size(); ++rank) {
    out += fmt::format("{}:", rank);
    std::string_view between_rounds = " ";
    for (const Round& round : program.ranks[static_cast<size_t>(rank)]) {
      std::string_view between_transfers = between_rounds;
      for (const Transfer& transfer : round) {
        out += between_transfers;
        out += print(transfer);
        between_transfers = ", ";
      }
      between_rounds = " | ";
    }
    out += '\n';
  }
  return out;
}

}  // namespace lockstep::collective
