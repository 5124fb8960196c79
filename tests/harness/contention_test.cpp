#include "harness/environment/contention.h"

#include <gtest/gtest.h>

#include <chrono>

namespace lockstep::environment {
namespace {

TEST(Contention, IsWhatWasBusyWithoutUs) {
  const CpuTimes before{100, 50, 1, 10}, after{110, 65, 1.5, 20};
  const Contention seen = contention(before, after, 2);
  EXPECT_DOUBLE_EQ(seen.other_cpus, 0.5);     // 15 s busy, 10 s of them ours, in 10 s
  EXPECT_DOUBLE_EQ(seen.steal_share, 0.025);  // half a second of twenty
  EXPECT_TRUE(disturbs(seen, 2));
  EXPECT_FALSE(disturbs({0.05, 0.005}, 2));
  EXPECT_TRUE(disturbs({0.2, 0}, 2));
  EXPECT_TRUE(disturbs({0, 0.02}, 2));
  EXPECT_DOUBLE_EQ(contention(after, after, 2).other_cpus, 0);
}

TEST(Contention, OurOwnWorkIsNotThatOfOthers) {
  if (!cpu_times()) GTEST_SKIP() << "/proc/stat is not readable";
  const CpuTimes before = *cpu_times();
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < end) {
  }
  const CpuTimes after = *cpu_times();
  EXPECT_GT(after.ours_s, before.ours_s);
  EXPECT_GE(after.busy_s, before.busy_s);
}

}  // namespace
}  // namespace lockstep::environment
