#include "reference_trainer/plan/schedule/check.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(print(insert_transfers(generate("1f1b", {.ranks = 2, .microbatches = 2}))),
            "rank 0: 0F0 0SEND_F0 0F1 0SEND_F1 0RECV_B0 0B0 0RECV_B1 0B1\n"
            "rank 1: 1RECV_F0 1F0 1RECV_F1 1B0 1SEND_B0 1F1 1B1 1SEND_B1\n");
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

}  // namespace
}  // namespace lockstep::schedule
