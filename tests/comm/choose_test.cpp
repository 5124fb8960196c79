#include <gtest/gtest.h>

#include "reference_trainer/comm/communicator.h"
#include "reference_trainer/plan/collective/algorithms.h"

namespace lockstep::comm {
namespace {

TEST(Choose, IsAlwaysAnAlgorithmThatDoesTheOperation) {
  for (const Operation operation : {Operation::all_reduce, Operation::reduce_scatter, Operation::all_gather,
                                    Operation::broadcast, Operation::reduce, Operation::all_to_all}) {
    for (int ranks = 1; ranks <= 65; ++ranks) {
      for (const int64_t bytes : {int64_t{0}, int64_t{1000}, int64_t{1} << 20, int64_t{1} << 34}) {
        for (const bool native : {false, true}) {
          const auto& row = collective::find_algorithm(choose_algorithm(operation, ranks, bytes, native));
          EXPECT_EQ(collective::why_not(row, operation, ranks), "");
          EXPECT_TRUE(native || row.generate != nullptr);
        }
      }
    }
  }
}

TEST(Choose, NativeWhereThereIsOneAndRingForLongBuffersOfOddRanks) {
  EXPECT_EQ(choose_algorithm(Operation::all_reduce, 3, 1 << 20, true), "native");
  EXPECT_EQ(choose_algorithm(Operation::all_reduce, 4, 1 << 20, false), "rabenseifner");
  EXPECT_EQ(choose_algorithm(Operation::all_reduce, 3, 1000, false), "rabenseifner");
  EXPECT_EQ(choose_algorithm(Operation::all_reduce, 3, 1 << 20, false), "ring");
}

}  // namespace
}  // namespace lockstep::comm
