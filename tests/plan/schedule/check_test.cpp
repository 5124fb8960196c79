#include "reference_trainer/plan/schedule/check.h"

#include <gtest/gtest.h>

#include <random>

#include "reference_trainer/plan/schedule/transfers.h"
#include "reference_trainer/plan/schedule/walk.h"
#include "tests/plan/schedule/cases.h"

namespace lockstep::schedule {
namespace {

TEST(ScheduleCheck, EveryScheduleIsRightWithinItsBoundWithTransfersAndWithout) {
  EXPECT_GT(all_cases().size(), 500u);
  for (const Case& c : all_cases()) {
    const Schedule schedule = generate(c.row->name, c.numbers);
    EXPECT_EQ(check(schedule, in_flight(*c.row, c.numbers)), "") << label(c);
    EXPECT_EQ(check(insert_transfers(schedule), in_flight(*c.row, c.numbers)), "") << label(c);
  }
}

TEST(ScheduleCheck, TransfersStandOnlyBetweenRanks) {
  EXPECT_FALSE(has_transfers(insert_transfers(generate("1f1b", {.ranks = 1, .microbatches = 4}))));
  const Schedule two = insert_transfers(generate("1f1b", {.ranks = 2, .microbatches = 2}));
  EXPECT_EQ(text::print(two.ranks[0]), "0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 0RECV_B1 0B1");
  EXPECT_EQ(text::print(two.ranks[1]), "1RECV_F0 1F0 1RECV_F1 1B0 1SEND_B0 1F1 1B1 1SEND_B1");
}

TEST(ScheduleCheck, OneRankWithChunksNeedsNoTransfers) {
  const Schedule schedule = generate("interleaved", {.ranks = 1, .microbatches = 3, .chunks = 2});
  EXPECT_FALSE(has_transfers(insert_transfers(schedule)));
  EXPECT_EQ(check(schedule), "");
}

TEST(ScheduleCheck, GemsAndChimeraHoldEveryStageTwice) {
  for (const char* name : {"gems", "chimera"}) {
    const Schedule schedule = generate(name, {.ranks = 4, .microbatches = 4});
    ASSERT_EQ(schedule.directions(), 2);
    EXPECT_EQ(schedule.placement[0], (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(schedule.placement[1], (std::vector<int>{3, 2, 1, 0}));
  }
}

/// Lists in an order that nobody would want, on any placement: ready actions drawn at random.
Schedule random_schedule(std::mt19937& random) {
  const Numbers numbers{.ranks = 2 + static_cast<int>(random() % 4),
                        .microbatches = 1 + static_cast<int>(random() % 6)};
  Schedule out = empty_schedule("random", numbers);
  const int stages = numbers.ranks + static_cast<int>(random() % 4);
  out.placement[0].resize(static_cast<size_t>(stages));
  for (int& rank : out.placement[0]) rank = static_cast<int>(random() % static_cast<unsigned>(numbers.ranks));
  Actions ready;
  for (int m = 0; m < numbers.microbatches; ++m) ready.push_back({0, ActionKind::F, m});
  while (!ready.empty()) {
    const auto drawn = ready.begin() + static_cast<std::ptrdiff_t>(random() % ready.size());
    const Action action = *drawn;
    ready.erase(drawn);
    out.ranks[static_cast<size_t>(out.rank_of(action.stage, action.microbatch))].push_back(action);
    const bool forward = action.kind == ActionKind::F, turns = forward && action.stage + 1 == stages;
    const int next = turns ? action.stage : action.stage + (forward ? 1 : -1);
    if (next >= 0) ready.push_back({next, forward && !turns ? ActionKind::F : ActionKind::B, action.microbatch});
  }
  return out;
}

TEST(ScheduleCheck, TransfersAreInsertedRightlyIntoAnyListsOnAnyPlacement) {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    const Schedule schedule = random_schedule(random);
    ASSERT_EQ(check(schedule), "");
    ASSERT_EQ(check(insert_transfers(schedule)), "");
  }
}

TEST(ScheduleCheck, LargePipelinesAreRight) {
  for (const Row& row : schedules()) {
    const Numbers numbers{.ranks = 32, .microbatches = 64, .chunks = row.name == "interleaved" ? 2 : 1};
    EXPECT_EQ(check(insert_transfers(generate(row.name, numbers)), in_flight(row, numbers)), "") << row.name;
  }
}

}  // namespace
}  // namespace lockstep::schedule
