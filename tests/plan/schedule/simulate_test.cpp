#include "reference_trainer/plan/schedule/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference_trainer/plan/schedule/transfers.h"
#include "tests/plan/schedule/cases.h"

namespace lockstep::schedule {
namespace {

/// Small whole numbers, so that all sums are exact. The weight gradient is not longer than the others, as the formulas
/// of the zero-bubble schedules need.
constexpr Times kTimes[] = {{1, 1, 1}, {2, 2, 1}, {2, 3, 2}, {2, 1, 1}};

bool formula_holds(const Case& c, const Times& t) {
  const Numbers& n = c.numbers;
  if (c.row->name == "zb_h1") return n.microbatches >= n.ranks;
  if (c.row->name == "zb_h2") return n.microbatches >= 2 * n.ranks - 1;
  return !c.row->equal_passes || t.forward == t.backward();
}

TEST(ScheduleSimulate, IdleTimeEqualsTheFormulaOfEverySchedule) {
  for (const Case& c : all_cases()) {
    const Schedule schedule = generate(c.row->name, c.numbers);
    for (const Times& times : kTimes) {
      if (!formula_holds(c, times)) continue;
      const Simulation found = simulate(schedule, {.stages = {times}});
      const double work = c.numbers.microbatches * c.numbers.chunks * (times.forward + times.backward());
      const double length = c.row->staggered ? found.longest_span : found.makespan;
      EXPECT_DOUBLE_EQ(length - work, c.row->idle(c.numbers, times)) << label(c);
      EXPECT_DOUBLE_EQ(c.row->staggered ? found.span_bubble : found.bubble, bubble(*c.row, c.numbers, times))
          << label(c);
    }
  }
}

/// However the weight gradients are placed, ranks wait for the slowest stage.
TEST(ScheduleSimulate, NoZeroBubbleScheduleIsBusierThanItsSlowestStageAllows) {
  const std::vector<Times> stages = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {3, 3, 3}};
  for (const char* name : {"zb_h1", "zb_h2"}) {
    const Simulation found = simulate(generate(name, {.ranks = 4, .microbatches = 16}), {.stages = stages});
    EXPECT_GE(found.span_bubble, 0.5) << name;
    EXPECT_LT(found.span_bubble, 0.6) << name;
  }
}

TEST(ScheduleSimulate, ActivationsHeldEqualTheFormulaOfEverySchedule) {
  for (const Case& c : all_cases()) {
    const Simulation found = simulate(generate(c.row->name, c.numbers), {.stages = {{}}});
    EXPECT_EQ(found.most_held, in_flight(*c.row, c.numbers)) << label(c);
  }
}

TEST(ScheduleSimulate, FlushedPipelinesHaveTheBubbleOfTheBooks) {
  for (int p = 2; p <= 8; ++p) {
    for (const int m : {1, 2, 4, 8, 32}) {
      for (const char* name : {"gpipe", "1f1b"}) {
        const Simulation found = simulate(generate(name, {.ranks = p, .microbatches = m}), {.stages = {{}}});
        EXPECT_DOUBLE_EQ(found.bubble, (p - 1.0) / (m + p - 1)) << name << " p=" << p << " m=" << m;
      }
    }
  }
}

TEST(ScheduleSimulate, InterleavingDividesTheIdleTimeByTheChunks) {
  const Simulation plain = simulate(generate("1f1b", {.ranks = 4, .microbatches = 8}), {.stages = {{6, 6, 6}}});
  for (const int v : {2, 3, 6}) {
    const double part = 6.0 / v;
    const Schedule schedule = generate("interleaved", {.ranks = 4, .microbatches = 8, .chunks = v});
    const Simulation found = simulate(schedule, {.stages = {{part, part, part}}});
    const double work = 8 * 18;
    EXPECT_DOUBLE_EQ(found.makespan - work, (plain.makespan - work) / v);
  }
}

TEST(ScheduleSimulate, TransfersThatTakeNoTimeChangeNothingWhenReceivesArePosted) {
  for (const Case& c : all_cases()) {
    const Schedule schedule = generate(c.row->name, c.numbers);
    const Simulation plain = simulate(schedule, {.stages = {{}}});
    const Simulation posted = simulate(insert_transfers(schedule), {.stages = {{}}}, Crossing::posted);
    EXPECT_EQ(plain.makespan, posted.makespan) << label(c);
    EXPECT_EQ(plain.most_held, posted.most_held) << label(c);
  }
}

TEST(ScheduleSimulate, TransferTimeLengthensWhatWaitsForIt) {
  const Schedule schedule = generate("gpipe", {.ranks = 4, .microbatches = 6});
  const Simulation found = simulate(schedule, {.stages = {{}}, .transfer = 0.5});
  EXPECT_DOUBLE_EQ(found.makespan, 9 * 3 + 2 * 3 * 0.5);  // three borders there, three back
  const Simulation blocking =
      simulate(insert_transfers(schedule), {.stages = {{}}, .transfer = 0.5}, Crossing::rendezvous);
  EXPECT_GT(blocking.makespan, found.makespan);  // ranks are busy with transfers meanwhile
}

TEST(ScheduleSimulate, TheSlowestStageSetsThePace) {
  const Schedule schedule = generate("1f1b", {.ranks = 3, .microbatches = 30});
  const Simulation found = simulate(schedule, {.stages = {{1, 1, 1}, {2, 2, 2}, {1, 1, 1}}});
  EXPECT_DOUBLE_EQ(found.busy[1], 180);
  EXPECT_DOUBLE_EQ(found.makespan, 1 + 180 + 1 + 2);  // fill, work, the wait for the first gradient, drain
}

/// Running what is there first is not always best: with slow links it gains at one uneven stage and loses at another.
TEST(ScheduleSimulate, ArrivalRunsWhatIsThereWithinTheActivationsOfItsList) {
  const Schedule fixed = generate("1f1b", {.ranks = 4, .microbatches = 12});
  const Schedule arriving = generate("arrival", {.ranks = 4, .microbatches = 12});
  const Times usual{1, 1, 1}, slow{2, 2, 2};
  const Durations first{.stages = {slow, usual, usual, usual}, .transfer = 3};
  const Durations second{.stages = {usual, slow, usual, usual}, .transfer = 3};
  EXPECT_EQ(simulate(fixed, first).makespan, 123);
  EXPECT_EQ(simulate(arriving, first).makespan, 120);
  EXPECT_EQ(simulate(fixed, second).makespan, 123);
  EXPECT_EQ(simulate(arriving, second).makespan, 129);
  EXPECT_EQ(simulate(arriving, first).most_held, simulate(fixed, first).most_held);
}

TEST(ScheduleSimulate, ChimeraHalvesTheBubbleOf1f1b) {
  for (const int p : {2, 4, 6, 8}) {
    const Times equal{2, 1, 1};
    const Simulation chimera = simulate(generate("chimera", {.ranks = p, .microbatches = 2 * p}), {.stages = {equal}});
    EXPECT_DOUBLE_EQ(chimera.bubble, (p - 2.0) / (2.0 * 2 * p + p - 2));
  }
}

TEST(ScheduleSimulate, ZeroBubbleHasNone) {
  for (int p = 2; p <= 8; ++p) {
    const Simulation found = simulate(generate("zb_h2", {.ranks = p, .microbatches = 2 * p}), {.stages = {{}}});
    EXPECT_EQ(found.span_bubble, 0) << p;
  }
}

}  // namespace
}  // namespace lockstep::schedule
