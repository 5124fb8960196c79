#include "workloads/data/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/workloads/scratch.h"
#include "workloads/data/initial.h"

namespace lockstep::workloads {
namespace {

// The known answers that the Random123 library (of the same authors) is distributed with.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Draws, DependOnSeedNameVariantAndIndex) {
  const Draws draws(1, "a");
  EXPECT_EQ(draws.bits(5), Draws(1, "a").bits(5));
  EXPECT_NE(draws.bits(5), draws.bits(6));
  EXPECT_NE(draws.bits(5), Draws(2, "a").bits(5));
  EXPECT_NE(draws.bits(5), Draws(1, "b").bits(5));
  EXPECT_NE(draws.bits(5), Draws(1, "a", 1).bits(5));
}

TEST(Draws, HaveTheirMoments) {
  const Draws draws(7, "moments");
  constexpr int kCount = 100000;
  double uniform = 0, normal = 0, square = 0;
  std::vector<int> counts(7);
  for (int i = 0; i < kCount; ++i) {
    const double u = draws.uniform01(i), n = draws.normal(i);
    ASSERT_TRUE(u >= 0 && u < 1 && std::isfinite(n));
    uniform += u, normal += n, square += n * n;
    ++counts[draws.bounded(i, 7)];
  }
  // Five standard errors of each mean.
  EXPECT_NEAR(uniform / kCount, 0.5, 5 * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(normal / kCount, 0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(square / kCount, 1, 5 * std::sqrt(2.0 / kCount));
  for (const int count : counts) EXPECT_NEAR(count, kCount / 7.0, 5 * std::sqrt(kCount / 7.0));
}

TEST(Initial, ElementsDependOnTheirIndexAlone) {
  for (const char* kind : {"normal", "uniform"}) {
    std::vector<float> few(10), many(1000);
    fill_initial(kind, 0.5, 3, "fc1.weight", few);
    fill_initial(kind, 0.5, 3, "fc1.weight", many);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin())) << kind;
    std::vector<float> other(10);
    fill_initial(kind, 0.5, 3, "fc2.weight", other);
    EXPECT_NE(few, other) << kind;
  }
}

TEST(Initial, KindsMeanWhatTheySay) {
  std::vector<float> values(1000);
  fill_initial("uniform", 0.25, 1, "w", values);
  for (const float value : values) ASSERT_LE(std::fabs(value), 0.25F);
  fill_initial("ones", 0.25, 1, "w", values);
  EXPECT_EQ(values, std::vector<float>(1000, 1.0F));
  fill_initial("zeros", 0.25, 1, "w", values);
  EXPECT_EQ(values, std::vector<float>(1000, 0.0F));
  expect_failure("usage", {"w", "init.kind", "normaal", "'normal'"},
                 [&] { fill_initial("normaal", 1, 1, "w", values); });
}

}  // namespace
}  // namespace lockstep::workloads
