#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "results/snapshot/snapshot.h"

namespace lockstep::snapshot {
namespace {

using ::testing::HasSubstr;
using Integers = std::vector<int64_t>;
using Doubles = std::vector<double>;
using Series = std::vector<store::SeriesRow>;

// Two ranks, 3 steps of which 1 is warm-up. Rank 0 is timed 1.0 s to 3.0 s, rank 1 1.5 s to 4.0 s: 2.5 s.
Series two_ranks() {
  constexpr int64_t kMs = 1'000'000;
  return {{0, "step_begin_ns", "ns", Integers{0, 1000 * kMs, 2000 * kMs}},
          {0, "step_end_ns", "ns", Integers{1000 * kMs, 2000 * kMs, 3000 * kMs}},
          {0, "samples", "", Integers{100, 4, 4}},
          {0, "tokens", "", Integers{6400, 256, 256}},
          {0, "bytes_sent", "B", Integers{999, 10, 20}},
          {0, "loss", "nat", Doubles{4, 3, 2}},
          {0, "loss_weight", "", Doubles{3, 3, 3}},
          {1, "step_begin_ns", "ns", Integers{0, 1500 * kMs, 2500 * kMs}},
          {1, "step_end_ns", "ns", Integers{1000 * kMs, 2400 * kMs, 4000 * kMs}},
          {1, "samples", "", Integers{100, 4, 3}},
          {1, "tokens", "", Integers{6400, 256, 192}},
          {1, "bytes_sent", "B", Integers{999, 30, 40}},
          {1, "loss", "nat", Doubles{8, 3, 6}},
          {1, "loss_weight", "", Doubles{1, 1, 1}}};
}

store::LaunchRow launch() {
  store::LaunchRow row;
  row.warmup = 1;
  row.steps = 3;
  return row;
}

void erase(Series& series, int64_t rank, const std::string& name) {
  std::erase_if(series, [&](const store::SeriesRow& row) { return row.rank == rank && row.name == name; });
}

TEST(Figures, ByHand) {
  store::ProcessRow first, second;
  first.peak_pss_bytes = 30;
  first.peak_rss_bytes = 90;
  second.peak_rss_bytes = 12;  // no PSS known
  const LaunchFigures out = figures(launch(), two_ranks(), {first, second});
  EXPECT_EQ(out.problem, "");
  EXPECT_EQ(out.region_s, 2.5);
  EXPECT_EQ(out.steps, 2);
  EXPECT_EQ(out.samples, 15);
  EXPECT_EQ(out.samples_per_s, 6);
  EXPECT_EQ(out.tokens_per_s, 960 / 2.5);
  EXPECT_EQ(out.step_s, 1.25);
  EXPECT_EQ(out.bytes_sent, 25);
  EXPECT_TRUE(std::isnan(out.messages));
  EXPECT_EQ(out.first_loss, 5);  // (4 * 3 + 8 * 1) / 4
  EXPECT_EQ(out.last_loss, 3);
  EXPECT_EQ(out.peak_memory_bytes, 42);
}

TEST(Figures, SayWhyThereAreNone) {
  Series series = two_ranks();
  erase(series, 1, "samples");
  EXPECT_THAT(figures(launch(), series, {}).problem, HasSubstr("rank 1: step_begin_ns, step_end_ns and samples"));
  EXPECT_TRUE(std::isnan(figures(launch(), series, {}).samples_per_s));
  EXPECT_TRUE(std::isnan(figures(launch(), series, {}).peak_memory_bytes));

  series = two_ranks();
  std::get<Integers>(series[1].values).pop_back();
  EXPECT_THAT(figures(launch(), series, {}).problem, HasSubstr("3 step begins, 2 ends"));

  store::LaunchRow short_one = launch();
  short_one.warmup = 3;
  EXPECT_THAT(figures(short_one, two_ranks(), {}).problem, HasSubstr("no step after 3 of warm-up"));

  series = two_ranks();
  std::get<Integers>(series[1].values).back() = 5;
  EXPECT_THAT(figures(launch(), series, {}).problem, HasSubstr("timed region of"));
  EXPECT_EQ(figures(launch(), {}, {}).problem, "no series");
}

TEST(Figures, WhereNobodyKnowsTheSamplesEachStepCountsAsOne) {
  Series series = two_ranks();
  EXPECT_FALSE(figures(launch(), series, {}).counts_steps);
  for (store::SeriesRow& row : series) {
    if (row.name == "samples") row.values = Integers{0, 0, 0};
  }
  const LaunchFigures out = figures(launch(), series, {});
  EXPECT_TRUE(out.counts_steps);
  EXPECT_EQ(out.samples_per_s, 2 / 2.5);
}

TEST(Figures, ARankWithoutSamplesHasNoSayInTheLoss) {
  Series series = two_ranks();
  std::get<Doubles>(series[12].values).back() = std::nan("");
  EXPECT_TRUE(std::isnan(figures(launch(), series, {}).last_loss));
  EXPECT_TRUE(figures(launch(), series, {}).has_loss);
  std::get<Doubles>(series[13].values).back() = 0;
  EXPECT_EQ(figures(launch(), series, {}).last_loss, 2);
  erase(series, 1, "loss");
  EXPECT_FALSE(figures(launch(), series, {}).has_loss);
}

}  // namespace
}  // namespace lockstep::snapshot
