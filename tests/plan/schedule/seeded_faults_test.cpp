// A checker that finds nothing proves nothing: each fault is put into right schedules and must be found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "reference_trainer/plan/schedule/check.h"
#include "reference_trainer/plan/schedule/transfers.h"
#include "tests/plan/schedule/cases.h"

namespace lockstep::schedule {
namespace {

using testing::HasSubstr;

Schedule right(std::string_view name, int ranks = 4, int microbatches = 8) {
  const int chunks = name == "interleaved" ? 2 : 1;
  return insert_transfers(generate(name, {.ranks = ranks, .microbatches = microbatches, .chunks = chunks}));
}

size_t position(const Schedule& schedule, size_t rank, std::string_view action) {
  const Actions& list = schedule.ranks[rank];
  const auto found = std::ranges::find(list, text::parse_action(action));
  EXPECT_NE(found, list.end()) << action;
  return static_cast<size_t>(found - list.begin());
}

TEST(ScheduleFaults, AnyDroppedActionIsFound) {
  for (const Row& row : schedules()) {
    const Schedule schedule = right(row.name);
    for (size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
      for (size_t i = 0; i < schedule.ranks[rank].size(); ++i) {
        if (schedule.ranks[rank][i].kind == ActionKind::STEP) continue;
        Schedule broken = schedule;
        broken.ranks[rank].erase(broken.ranks[rank].begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_NE(check(broken), "") << row.name << " without " << text::print(schedule.ranks[rank][i]);
      }
    }
  }
}

TEST(ScheduleFaults, AnyDuplicatedActionIsFound) {
  for (const Row& row : schedules()) {
    const Schedule schedule = right(row.name);
    for (size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
      for (size_t i = 0; i < schedule.ranks[rank].size(); ++i) {
        const Action action = schedule.ranks[rank][i];
        if (action.kind == ActionKind::STEP) continue;
        Schedule broken = schedule;
        broken.ranks[rank].insert(broken.ranks[rank].begin() + static_cast<std::ptrdiff_t>(i), action);
        EXPECT_THAT(check(broken), HasSubstr(text::print(action) + " stands 2 times")) << row.name;
      }
    }
  }
}

TEST(ScheduleFaults, ForwardAfterItsBackward) {
  Schedule broken = right("1f1b");
  std::swap(broken.ranks[3][position(broken, 3, "3F0")], broken.ranks[3][position(broken, 3, "3B0")]);
  EXPECT_THAT(check(broken), HasSubstr("rank 3: 3F0 comes after 3B0"));
}

TEST(ScheduleFaults, WeightGradientBeforeItsInputGradient) {
  Schedule broken = right("zb_h1");
  std::swap(broken.ranks[1][position(broken, 1, "1I2")], broken.ranks[1][position(broken, 1, "1W2")]);
  EXPECT_THAT(check(broken), HasSubstr("rank 1: 1I2 comes after 1W2"));
}

TEST(ScheduleFaults, SwappedReceivesDoNotMatchTheirSends) {
  Schedule broken = right("gpipe");
  std::swap(broken.ranks[1][position(broken, 1, "1RECV_F0")], broken.ranks[1][position(broken, 1, "1RECV_F1")]);
  EXPECT_THAT(check(broken), HasSubstr("message 0 from rank 0 to rank 1 is 0SEND_F0, but rank 1 receives 1RECV_F1"));
}

/// Every rank sends what it has before it takes what is there: works with buffers, not without.
TEST(ScheduleFaults, TwoRanksThatBothSendFirstAreBlockedAndAllAreNamed) {
  Schedule broken = right("1f1b", 3, 3);
  broken.ranks[1] = text::parse_actions(
      "1RECV_F0 1F0 1SEND_F0 1RECV_F1 1F1 1SEND_F1 1RECV_B0 1B0 1SEND_B0 1RECV_F2 1F2 1SEND_F2 1RECV_B1 1B1 1SEND_B1 "
      "1RECV_B2 1B2 1SEND_B2");
  broken.ranks[0] =
      text::parse_actions("0F0 0SEND_F0 0F1 0SEND_F1 0F2 0SEND_F2 0RECV_B0 0B0 0RECV_B1 0B1 0RECV_B2 0B2");
  const std::string found = check(broken);
  EXPECT_THAT(found, HasSubstr("rank 0 is blocked at 0SEND_F2 (action 6 of 12): waits for rank 1 to come to 1RECV_F2; "
                               "rank 1 is at "));
  EXPECT_THAT(found, HasSubstr("rank 1 is blocked at "));
  EXPECT_THAT(found, HasSubstr("rank 2 is blocked at "));
  EXPECT_THAT(found, HasSubstr(" > 0SEND_F2"));
}

TEST(ScheduleFaults, ACycleWithoutTransfersNamesAllBlockedRanks) {
  Schedule broken = generate("1f1b", {.ranks = 2, .microbatches = 2});
  broken.ranks[0] = text::parse_actions("0F0 0B0 0F1 0B1");
  broken.ranks[1] = text::parse_actions("1F1 1B1 1F0 1B0");
  const std::string found = check(broken);
  EXPECT_THAT(found, HasSubstr("rank 0 is blocked at 0B0 (action 2 of 4): waits for 1B0 of rank 1; rank 1 is at 1F1"));
  EXPECT_THAT(found, HasSubstr("rank 1 is blocked at 1F1 (action 1 of 4): waits for 0F1 of rank 0; rank 0 is at 0B0"));
}

TEST(ScheduleFaults, MoreActivationsThanTheBound) {
  const Row& row = find_schedule("1f1b");
  Schedule broken = generate("gpipe", {.ranks = 4, .microbatches = 8});
  EXPECT_THAT(check(broken, in_flight(row, broken.numbers)), HasSubstr("rank 3 holds 8 activations, the bound is 1"));
}

TEST(ScheduleFaults, WrongPlaces) {
  Schedule broken = right("1f1b");
  broken.ranks[0][0] = {1, ActionKind::F, 0};
  EXPECT_THAT(check(broken), HasSubstr("rank 0: 1F0: stage 1 of microbatch 0 lies on rank 1"));
  broken.ranks[0][0] = {9, ActionKind::F, 0};
  EXPECT_THAT(check(broken), HasSubstr("rank 0: 9F0: there are 4 stages"));
  broken.ranks[0][0] = {0, ActionKind::F, 8};
  EXPECT_THAT(check(broken), HasSubstr("rank 0: 0F8: there are 8 microbatches"));
}

}  // namespace
}  // namespace lockstep::schedule
