// The rule of weights against what really lies in the slots when the lists are run.
#include "reference_trainer/plan/schedule/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/schedule/check.h"
#include "reference_trainer/plan/schedule/periodic.h"
#include "reference_trainer/plan/schedule/table.h"
#include "reference_trainer/plan/schedule/transfers.h"

namespace lockstep::schedule {
namespace {

constexpr Weights kRules[] = {Weights::stash, Weights::vertical, Weights::two_bw, Weights::predict};

std::string why(const Pipeline& p, int stage, const Action& action) {
  return std::string(name(p.weights)) + " p=" + std::to_string(p.ranks) + " u=" + std::to_string(p.per_update) +
         " stage " + std::to_string(stage) + ": " + text::print(action);
}

/// Runs a stage's list on slots that hold version numbers.
void run_stage(const Pipeline& p, int stage, const Actions& list) {
  std::vector<int64_t> slots(static_cast<size_t>(versions_kept(p, stage)), 0);
  int64_t newest = 0;
  for (const Action& action : list) {
    if (action.kind == ActionKind::STEP) {
      const WeightUse next = updated_weights(p, stage, action.microbatch);
      EXPECT_EQ(next.version, ++newest) << why(p, stage, action);
      slots[static_cast<size_t>(next.slot)] = newest;
      continue;
    }
    const bool forward = action.kind == ActionKind::F;
    const WeightUse use =
        forward ? forward_weights(p, stage, action.microbatch) : backward_weights(p, stage, action.microbatch);
    EXPECT_EQ(slots[static_cast<size_t>(use.slot)], use.version) << why(p, stage, action);
    if (p.weights == Weights::predict) {
      EXPECT_EQ(use.version + use.ahead, action.microbatch / p.per_update) << why(p, stage, action);
    } else {
      EXPECT_EQ(use, forward_weights(p, stage, action.microbatch)) << why(p, stage, action);
    }
  }
}

TEST(ScheduleWeights, EveryVersionIsInItsSlotWhenItIsUsed) {
  for (const Weights rule : kRules) {
    for (int ranks = 1; ranks <= 6; ++ranks) {
      for (int u = fewest_per_update(rule, ranks); u <= 8; ++u) {
        const Schedule schedule = generate("pipedream", {.ranks = ranks, .microbatches = 7 * u, .per_update = u});
        for (int s = 0; s < ranks; ++s) run_stage({rule, ranks, u}, s, schedule.ranks[static_cast<size_t>(s)]);
      }
    }
  }
}

TEST(ScheduleWeights, StalenessOfThePaper) {
  // PipeDream: w(t+1) = w(t) - eta grad f(w_1(t-n+1), ..., w_n(t)): stage s (from 0) is n-1-s updates behind.
  const Pipeline stash{Weights::stash, 4, 1}, vertical{Weights::vertical, 4, 1}, two{Weights::two_bw, 4, 4};
  for (int s = 0; s < 4; ++s) {
    EXPECT_EQ(forward_weights(stash, s, 20).version, 20 - (3 - s));
    EXPECT_EQ(forward_weights(vertical, s, 20).version, 17);
    EXPECT_EQ(versions_kept(stash, s), 4 - s);
    EXPECT_EQ(versions_kept(vertical, s), 4);
    EXPECT_EQ(forward_weights(two, s, 20).version, 4);  // the fifth batch of 4 uses what 4 updates made: one behind
    EXPECT_EQ(versions_kept(two, s), 2);
  }
}

TEST(ScheduleWeights, TwoVersionsNeedAsManyMicrobatchesAnUpdateAsRanks) {
  EXPECT_EQ(why_not({Weights::two_bw, 4, 3}),
            "pipedream:weights=2bw on 4 ranks needs m of at least 4 microbatches an update, not 3; the nearest legal "
            "one is m=4");
  EXPECT_EQ(why_not({Weights::two_bw, 4, 4}), "");
  EXPECT_EQ(why_not({Weights::stash, 4, 1}), "");
}

TEST(ScheduleWeights, NamesParseBack) {
  for (const Weights rule : kRules) EXPECT_EQ(weights_of(name(rule)), rule);
  EXPECT_THROW(weights_of("stach"), Failure);
}

TEST(SchedulePeriodic, UnfoldsToTheListsItCameFrom) {
  for (int ranks = 1; ranks <= 6; ++ranks) {
    for (const int u : {1, 3, 6}) {
      const Schedule schedule =
          insert_transfers(generate("pipedream", {.ranks = ranks, .microbatches = 12 * u, .per_update = u}));
      ASSERT_EQ(check(schedule), "");
      const auto folded = fold(schedule);
      for (size_t rank = 0; rank < folded.size(); ++rank) {
        EXPECT_EQ(folded[rank].unfolded(), schedule.ranks[rank]);
        EXPECT_EQ(folded[rank].repetitions, folded[0].repetitions);
        EXPECT_GE(folded[rank].repetitions, u == 1 ? 12 - 2 * ranks : 12 - ranks) << ranks << " ranks, u " << u;
      }
    }
  }
}

TEST(SchedulePeriodic, TheBodyOfPipedream) {
  const auto folded = fold(generate("pipedream", {.ranks = 2, .microbatches = 6}));
  EXPECT_EQ(text::print(folded[0].prologue), "0F0");
  EXPECT_EQ(text::print(folded[0].body), "0F1 0B0 0STEP0");
  EXPECT_EQ(folded[0].repetitions, 5);
  EXPECT_EQ(text::print(folded[0].epilogue), "0B5 0STEP5");
}

}  // namespace
}  // namespace lockstep::schedule
