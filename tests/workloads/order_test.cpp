#include "workloads/data/order.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/workloads/scratch.h"
#include "workloads/data/safetensors.h"

namespace lockstep::workloads {
namespace {

TEST(Order, EachSampleOnceAnEpochWithARaggedLastBatch) {
  const Order order = make_order(500, 12, 84, 1);  // two epochs of 41 batches of 12 and one of 8
  ASSERT_EQ(order.offsets.size(), 85U);
  ASSERT_EQ(order.indices.size(), 1000U);
  std::vector<int64_t> all(500);
  std::iota(all.begin(), all.end(), 0);
  for (const int64_t first : {0, 500}) {
    const auto begin = order.indices.begin() + first;
    EXPECT_TRUE(std::is_permutation(begin, begin + 500, all.begin()));
    EXPECT_FALSE(std::equal(begin, begin + 500, all.begin()));
  }
  EXPECT_FALSE(std::equal(order.indices.begin(), order.indices.begin() + 500, order.indices.begin() + 500));
  for (size_t s = 0; s < 84; ++s) {
    EXPECT_EQ(order.offsets[s + 1] - order.offsets[s], s % 42 == 41 ? 8 : 12) << "step " << s;
  }
}

TEST(Order, ALongerOneBeginsWithAShorterOne) {
  const Order few = make_order(100, 8, 10, 1), many = make_order(100, 8, 50, 1);
  EXPECT_TRUE(std::equal(few.indices.begin(), few.indices.end(), many.indices.begin()));
  EXPECT_NE(make_order(100, 8, 10, 2).indices, few.indices);
}

TEST(Order, BatchSizeOnlyCutsTheSamePermutation) {
  EXPECT_EQ(make_order(96, 8, 12, 5).indices, make_order(96, 32, 3, 5).indices);
}

TEST(Order, RanksShareItUnlessScalingIsWeak) {
  const Scratch scratch;
  const Workload strong = resolve(kWorkloads, "mlp-digits", "micro", {});
  EXPECT_EQ(write_order(strong, scratch.path(), 1), write_order(strong, scratch.path(), 4));
  const Workload weak = resolve(kWorkloads, "mlp-digits", "micro", {"scaling=weak"});
  EXPECT_EQ(write_order(weak, scratch.path(), 1), write_order(strong, scratch.path()));
  const SafetensorsFile file(write_order(weak, scratch.path(), 2));
  EXPECT_EQ(file.at("offsets").values<int64_t>()[1], 24);
}

TEST(Order, FileHoldsWhatMakeOrderGives) {
  const Scratch scratch;
  const Workload workload = resolve(kWorkloads, "mlp-digits", "micro", {});
  const auto path = write_order(workload, scratch.path());
  const auto written = std::filesystem::last_write_time(path);
  EXPECT_EQ(write_order(workload, scratch.path()), path);
  EXPECT_EQ(std::filesystem::last_write_time(path), written) << "a file that is there is used again";
  const SafetensorsFile file(path);
  const Order order = make_order(500, 12, 100, 1);
  EXPECT_THAT(file.at("indices").values<int64_t>(), testing::ElementsAreArray(order.indices));
  EXPECT_THAT(file.at("offsets").values<int64_t>(), testing::ElementsAreArray(order.offsets));
}

}  // namespace
}  // namespace lockstep::workloads
