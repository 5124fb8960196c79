#include "reference_trainer/plan/schedule/picture.h"

#include <gtest/gtest.h>

#include "reference_trainer/plan/schedule/table.h"

namespace lockstep::schedule {
namespace {

std::string drawn(std::string_view name, const Numbers& numbers) {
  const Schedule schedule = generate(name, numbers);
  return picture(schedule, simulate(schedule, {.stages = {{}}}));
}

TEST(SchedulePicture, OneForwardOneBackward) {
  EXPECT_EQ(drawn("1f1b", {.ranks = 2, .microbatches = 3}),
            "stage 0  F0 F1 .. .. B0 -- F2 B1 -- .. B2 --\n"
            "stage 1  .. F0 B0 -- F1 B1 -- F2 B2 -- .. ..\n");
}

TEST(SchedulePicture, SplitBackward) {
  EXPECT_EQ(drawn("zb_h1", {.ranks = 2, .microbatches = 2}),
            "stage 0  F0 F1 .. I0 W0 I1 W1\n"
            "stage 1  .. F0 I0 F1 I1 W0 W1\n");
}

TEST(SchedulePicture, ChunksHaveLetters) {
  EXPECT_EQ(drawn("interleaved", {.ranks = 1, .microbatches = 1, .chunks = 2}), "rank 0  F0a F0b B0b --- B0a ---\n");
}

TEST(SchedulePicture, CellsAreAsWideAsTheLongestNumber) {
  const std::string text = drawn("1f1b", {.ranks = 1, .microbatches = 11});
  EXPECT_EQ(text.substr(0, 30), "stage 0  F0  B0  --- F1  B1  -");
}

}  // namespace
}  // namespace lockstep::schedule
