#include "results/snapshot/quality.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::snapshot {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

store::CellRow cell_with(std::string workload_json) {
  store::CellRow cell;
  cell.workload_json = std::move(workload_json);
  return cell;
}

TEST(Quality, TargetsAreReadFromTheWorkload) {
  const auto at_least = target_of(cell_with(R"({"target": {"metric": "test_accuracy", "at_least": 0.97}})"));
  ASSERT_TRUE(at_least);
  EXPECT_EQ(at_least->text(), "test_accuracy at least 0.97");
  EXPECT_TRUE(at_least->reached(0.97));
  EXPECT_FALSE(at_least->reached(0.9699));
  const auto at_most = target_of(cell_with(R"({"target": {"metric": "bits_per_byte", "at_most": 2.05}})"));
  ASSERT_TRUE(at_most);
  EXPECT_TRUE(at_most->reached(2));
  EXPECT_FALSE(at_most->reached(std::nan("")));
  for (const char* none : {"", "{}", "[]", R"({"target": null})", R"({"target": {"metric": "loss"}})",
                           R"({"target": {"metric": 1, "at_most": 2}})"}) {
    EXPECT_FALSE(target_of(cell_with(none))) << none;
  }
}

/// Evaluations after steps 10, 20 and 30 of two ranks, whose first step begins at 100 s and 101 s.
std::vector<Evaluated> three(double first, double second, double third) {
  const std::vector<store::EvaluationRow> rows = {{0, 20, 640, "accuracy", second, "own", 112 * kSecond},
                                                  {0, 10, 320, "accuracy", first, "own", 105 * kSecond},
                                                  {0, 30, 960, "accuracy", third, "own", 125 * kSecond},
                                                  {0, 10, 320, "loss", 9, "own", 104 * kSecond},
                                                  {0, 10, 320, "accuracy", 1, "server", 104 * kSecond}};
  const std::vector<store::SeriesRow> series = {
      {0, "step_begin_ns", "ns", std::vector<int64_t>{101 * kSecond, 103 * kSecond}},
      {1, "step_begin_ns", "ns", std::vector<int64_t>{100 * kSecond, 103 * kSecond}}};
  return evaluated(rows, series, "accuracy");
}

TEST(Quality, TheClockRunsFromTheFirstStepToTheEndOfTheEvaluation) {
  const auto all = three(0.5, 0.75, 0.625);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].step, 20);
  EXPECT_EQ(all[1].samples, 640);
  EXPECT_EQ(all[1].time_s, 12);
  EXPECT_TRUE(std::isnan(evaluated({{0, 1, 2, "accuracy", 1, "own", 5}}, {}, "accuracy").front().time_s));
}

TEST(Quality, ALaunchThatMissesTheTargetIsInfinitelyDear) {
  const QualityTarget target{"accuracy", 0.75, true};
  Quality quality;
  quality.target = target;
  const double best[3][3] = {{0.5, 0.75, 0.625}, {0.5, 0.5, 0.7}, {0.8, 0.9, 0.7}};
  for (int64_t i = 0; i < 3; ++i) {
    store::LaunchRow launch;
    launch.number = i + 1, launch.seed = 7 + i;
    quality.launches.push_back(*quality_of(launch, target, three(best[i][0], best[i][1], best[i][2])));
  }
  EXPECT_FALSE(quality_of({}, target, {}));
  EXPECT_EQ(quality.launches[0].reached->step, 20) << "the first that reached it, though a later one did not";
  EXPECT_EQ(quality.launches[0].best, 0.75);
  EXPECT_EQ(quality.launches[0].last, 0.625);
  EXPECT_EQ(quality.launches[2].seed, 9);
  EXPECT_EQ(quality.reached(), 2);
  estimate(quality, 0.95);
  EXPECT_EQ(quality.steps.value, 20) << "of 10, 20 and infinity";
  EXPECT_EQ(quality.steps.n, 3);
  EXPECT_TRUE(std::isinf(quality.steps.high));
  EXPECT_EQ(quality.time_s.value, 12);
  EXPECT_EQ(quality.best.value, 0.75);
}

}  // namespace
}  // namespace lockstep::snapshot
