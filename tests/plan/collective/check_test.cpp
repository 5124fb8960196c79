#include "reference_trainer/plan/collective/check.h"

#include <gtest/gtest.h>

#include "tests/plan/collective/cases.h"

namespace lockstep::collective {
namespace {

TEST(Check, EveryGeneratorIsRightUpTo64Ranks) {
  for (const Case& c : all_cases(64)) {
    if (c.ranks > 20 && c.ranks % 7 != 0 && c.ranks != 32 && c.ranks != 64) continue;  // seconds, not minutes
    EXPECT_EQ(check(generate(c.algorithm->name, c.operation, c.ranks)), "") << label(c);
  }
}

TEST(Check, RootedOperationsAreRightAtEveryRoot) {
  for (const Operation operation : {Operation::all_reduce, Operation::broadcast, Operation::reduce}) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      for (int root = 0; root < ranks; ++root) {
        EXPECT_EQ(check(generate("tree", operation, ranks, root)), "") << ranks << " ranks, root " << root;
      }
    }
  }
}

TEST(Check, OneRankNeedsNoRounds) {
  for (const Case& c : all_cases(1)) {
    EXPECT_TRUE(generate(c.algorithm->name, c.operation, 1).ranks[0].empty()) << label(c);
  }
}

}  // namespace
}  // namespace lockstep::collective
