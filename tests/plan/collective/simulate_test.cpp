#include "reference_trainer/plan/collective/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/plan/collective/cases.h"

namespace lockstep::collective {
namespace {

constexpr Link kLink = {.alpha = 64, .beta = 3, .gamma = 1};  // whole numbers: sums are exact

TEST(Simulate, EqualsEachFormulaUpTo64Ranks) {
  for (const Case& c : all_cases(64)) {
    // Divisible by every chunk count: the ranks, their square, the power of two below.
    const int64_t elements = int64_t{c.ranks} * c.ranks * 64;
    const Program program = generate(c.algorithm->name, c.operation, c.ranks);
    const Simulation simulation = simulate(program, elements, 4, kLink);
    const Cost cost = c.algorithm->cost(c.operation, c.ranks, static_cast<double>(elements) * 4);
    EXPECT_EQ(simulation.seconds, cost.seconds(kLink)) << label(c);
    EXPECT_EQ(simulation.rounds, cost.rounds) << label(c);
    EXPECT_EQ(static_cast<double>(std::ranges::max(simulation.sent)), cost.sent) << label(c);
  }
}

TEST(Simulate, EachParameterAloneEqualsItsCount) {
  const Link alone[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Case& c : all_cases(17)) {
    const int64_t elements = int64_t{c.ranks} * c.ranks * 64;
    const Program program = generate(c.algorithm->name, c.operation, c.ranks);
    const Cost cost = c.algorithm->cost(c.operation, c.ranks, static_cast<double>(elements) * 4);
    const double counts[] = {cost.messages, cost.moved, cost.reduced};
    for (int i = 0; i < 3; ++i) EXPECT_EQ(simulate(program, elements, 4, alone[i]).seconds, counts[i]) << label(c);
  }
}

TEST(Simulate, RingsBytesAreTheLowerBoundOnEveryRank) {
  for (const int p : {2, 3, 8, 64}) {
    const int64_t elements = int64_t{p} * 10;
    const Simulation simulation = simulate(generate("ring", Operation::all_reduce, p), elements, 4, kLink);
    for (const int64_t sent : simulation.sent) EXPECT_EQ(sent, 2 * (p - 1) * 40);
    for (const int64_t messages : simulation.messages) EXPECT_EQ(messages, 2 * (p - 1));
  }
}

TEST(Simulate, AllBytesSentAreReceivedWhenChunksAreUneven) {
  for (const Case& c : all_cases(9)) {
    const Simulation simulation = simulate(generate(c.algorithm->name, c.operation, c.ranks), 50257, 4, kLink);
    EXPECT_EQ(std::accumulate(simulation.sent.begin(), simulation.sent.end(), int64_t{0}),
              std::accumulate(simulation.received.begin(), simulation.received.end(), int64_t{0}));
  }
}

TEST(Simulate, TimelineHasEachRoundOfEachRankWithoutOverlap) {
  const Program program = generate("rabenseifner", Operation::all_reduce, 6);
  const Simulation simulation = simulate(program, 64, 4, kLink);
  std::vector<int64_t> end(6, 0);
  std::vector<size_t> rounds(6, 0);
  for (const activity::Activity& each : simulation.timeline.activities) {
    EXPECT_GE(each.begin_ns, end[each.track]);
    EXPECT_GE(each.end_ns, each.begin_ns);
    end[each.track] = each.end_ns;
    ++rounds[each.track];
  }
  for (size_t rank = 0; rank < 6; ++rank) EXPECT_EQ(rounds[rank], program.ranks[rank].size());
  EXPECT_EQ(simulation.timeline.origin, activity::Origin::planned);
}

TEST(Native, ChargesNoMoreThanAnyProgram) {
  for (const Case& c : all_cases(64)) {
    if (c.operation != Operation::all_reduce) continue;
    EXPECT_LE(find_algorithm("native").cost(c.operation, c.ranks, 4096).seconds(kLink),
              c.algorithm->cost(c.operation, c.ranks, 4096).seconds(kLink))
        << label(c);
  }
}

}  // namespace
}  // namespace lockstep::collective
