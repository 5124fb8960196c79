// A loss that is not finite on one rank ends the step of all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include "adapters/contract/failure.h"
#include "tests/test_name.h"
#include "tests/train/rank.h"

namespace lockstep::train {
namespace {

/// A strategy, and the rank whose loss is not finite.
struct Poisoned {
  const char* strategy;
  int rank;
};

class NonFiniteLoss : public testing::TestWithParam<Poisoned> {};

/// The loss is not finite on one rank alone: all ranks end in that step with the same kind, and none updates.
TEST_P(NonFiniteLoss, IsDecidedByAllRanksTogether) {
  const Setting setting = small_setting({});
  std::atomic<int> decided = 0;
  comm::run_ranks(3, [&](comm::Transport& transport) {
    Rank<float> rank(setting, GetParam().strategy, transport);
    rank.step(0);
    const bool here = transport.rank() == GetParam().rank;
    const auto parameters = rank.trainer.state().parameters();
    if (here) parameters[0] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> before(parameters.begin(), parameters.end());
    try {
      rank.step(1);
      ADD_FAILURE() << "rank " << transport.rank() << " went on";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.kind(), "non_finite_loss");
      EXPECT_THAT(failure.what(), testing::HasSubstr(here ? "of this rank" : "of another rank"));
      EXPECT_THAT(failure.what(), testing::StartsWith("step 2: "));
      ++decided;
    }
    if (!here) {
      EXPECT_TRUE(std::equal(before.begin(), before.end(), parameters.begin())) << "it was updated";
    }
    transport.abort("it is gone");  // as a worker does: nobody may depend on a rank that has thrown
  });
  EXPECT_EQ(decided, 3);
}

INSTANTIATE_TEST_SUITE_P(OnEachRank, NonFiniteLoss,
                         testing::Values(Poisoned{"dp3", 0}, Poisoned{"dp3", 1}, Poisoned{"dp3", 2},
                                         Poisoned{"dp3/bucket:1B", 1}, Poisoned{"dp3/accum:m=2", 2},
                                         Poisoned{"dp3@tree", 0}, Poisoned{"dp3/layout:sfb", 1}),
                         [](const auto& info) {
                           return test_name({info.param.strategy, "rank", std::to_string(info.param.rank)});
                         });

/// Without a flush the last stage tells the one before, and so on: earlier stages have begun microbatches of later
/// steps by then, and end in the same step all the same.
TEST(NonFiniteLossWithoutAFlush, EndsAllStagesInTheSameStep) {
  const Setting setting = small_setting({});
  std::atomic<int> decided = 0;
  comm::run_ranks(3, [&](comm::Transport& transport) {
    Rank<double> rank(setting, "pp3/pipedream/stages:equal", transport);
    rank.begin(0, 9);
    for (int s = 0; s < 4; ++s) rank.trainer.step();
    const bool last = transport.rank() == 2;
    if (last) rank.trainer.state().parameters()[0] = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> before(rank.trainer.state().parameters().begin(),
                                     rank.trainer.state().parameters().end());
    try {
      rank.trainer.step();
      ADD_FAILURE() << "rank " << transport.rank() << " went on";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.kind(), "non_finite_loss");
      EXPECT_THAT(failure.what(), testing::HasSubstr(last ? "of this rank" : "of another rank"));
      EXPECT_THAT(failure.what(), testing::StartsWith("step 5: "));
      ++decided;
    }
    if (!last) {
      EXPECT_TRUE(std::equal(before.begin(), before.end(), rank.trainer.state().parameters().begin()))
          << "it was updated";
    }
    transport.abort("it is gone");
  });
  EXPECT_EQ(decided, 3);
}

}  // namespace
}  // namespace lockstep::train
