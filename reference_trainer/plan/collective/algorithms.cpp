#include "reference_trainer/plan/collective/algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "adapters/contract/failure.h"
#include "adapters/contract/nearest.h"
#include "reference_trainer/plan/collective/generators.h"

namespace lockstep::collective {
namespace {

using enum Operation;

constexpr Operation kScattering[] = {all_reduce, reduce_scatter, all_gather};
constexpr Operation kDirect[] = {all_reduce, reduce_scatter, all_gather, all_to_all};
constexpr Operation kRooted[] = {all_reduce, broadcast, reduce};
constexpr Operation kAllReduce[] = {all_reduce};
constexpr int kAny = std::numeric_limits<int>::max();

constexpr Algorithm kAlgorithms[] = {
    // name, source, operations, fewest and most ranks, generator, cost formula
    {"ring", "Patarasuk and Yuan 2009: fewest bytes, 2(p-1) rounds", kScattering, 1, kAny, ring, ring_cost},
    {"rabenseifner", "Rabenseifner 2004: recursive halving and doubling, other rank counts folded", kAllReduce, 1, kAny,
     rabenseifner, rabenseifner_cost},
    {"tree", "Thakur et al. 2005: binomial tree, whole buffers", kRooted, 1, kAny, tree, tree_cost},
    {"direct", "each chunk straight to its owner and back: ring's bytes in 2 rounds", kDirect, 1, kAny, direct,
     direct_cost},
    {"native", "the transport's own: MPI_Iallreduce; on threads shared memory", kAllReduce, 1, kAny, nullptr,
     native_cost},
};

}  // namespace

bool Algorithm::does(Operation operation) const { return std::ranges::find(operations, operation) != operations.end(); }

std::span<const Algorithm> algorithms() { return kAlgorithms; }

const Algorithm& find_algorithm(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.name == name) return algorithm;
    names.push_back(algorithm.name);
  }
  refuse({.place = "collective algorithm",
          .value = std::string(name),
          .rule = fmt::format("is none of {}", fmt::join(names, ", ")),
          .remedy = fmt::format("did you mean {}?", nearest(name, names))});
}

std::string why_not(const Algorithm& algorithm, Operation operation, int ranks) {
  if (!algorithm.does(operation)) {
    std::vector<std::string_view> does;
    for (const Operation each : algorithm.operations) does.push_back(collective::name(each));
    return fmt::format("{} does {}, not {}", algorithm.name, fmt::join(does, ", "), collective::name(operation));
  }
  if (ranks < algorithm.fewest_ranks || ranks > algorithm.most_ranks) {
    return fmt::format("{} needs {} to {} ranks, not {}", algorithm.name, algorithm.fewest_ranks, algorithm.most_ranks,
                       ranks);
  }
  return {};
}

Program generate(std::string_view name, Operation operation, int ranks, int root) {
  const Algorithm& algorithm = find_algorithm(name);
  std::string reason = why_not(algorithm, operation, ranks);
  if (reason.empty() && algorithm.generate == nullptr) {
    reason = fmt::format("{} has no program: it is the transport's own", algorithm.name);
  }
  if (!reason.empty()) throw Failure("unsupported", fmt::format("collective {}", reason));
  return algorithm.generate(operation, ranks, root);
}

Program empty_program(std::string_view algorithm, Operation operation, int ranks, int chunks, int root) {
  Program program{std::string(algorithm), operation, chunks, root, {}};
  program.ranks.resize(static_cast<size_t>(ranks));
  return program;
}

}  // namespace lockstep::collective
