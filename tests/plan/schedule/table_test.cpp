#include "reference_trainer/plan/schedule/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/terms/table.h"

namespace lockstep::schedule {
namespace {

TEST(ScheduleTable, HasTheSchedulesOfTheTableOfTerms) {
  std::vector<std::string_view> mine, terms;
  for (const Row& row : schedules()) mine.push_back(row.name);
  for (const terms::Row& row : terms::table()) {
    if (row.kind == terms::Kind::schedule) terms.push_back(row.name);
  }
  EXPECT_EQ(mine, terms);
}

TEST(ScheduleTable, RefusesMicrobatchesAndNamesTheNearest) {
  EXPECT_EQ(why_not(find_schedule("interleaved"), {.ranks = 4, .microbatches = 6, .chunks = 2}),
            "interleaved on 4 ranks needs m a multiple of p, not 6; the nearest legal one is m=8");
  EXPECT_EQ(why_not(find_schedule("chimera"), {.ranks = 4, .microbatches = 5}),
            "chimera on 4 ranks needs m even (p too), not 5; the nearest legal one is m=6");
  EXPECT_EQ(why_not(find_schedule("chimera"), {.ranks = 3, .microbatches = 4}),
            "chimera needs pp a multiple of 2, not 3; the nearest legal one is 4");
  EXPECT_EQ(why_not(find_schedule("gpipe"), {.ranks = 4, .microbatches = 5}), "");
  EXPECT_THROW(generate("chimera", {.ranks = 4, .microbatches = 5}), Failure);
}

TEST(ScheduleTable, NearestIsLegal) {
  for (const Row& row : schedules()) {
    for (int p = 2; p <= 8; p += 2) {
      for (int m = 1; m <= 40; ++m) {
        const int legal = nearest_microbatches(row, {.ranks = p, .microbatches = m});
        EXPECT_EQ(why_not(row, {.ranks = p, .microbatches = legal}), "") << row.name;
      }
    }
  }
}

TEST(ScheduleTable, UnknownNamesAreRefusedWithTheNearest) {
  try {
    find_schedule("zb_h3");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), testing::HasSubstr("did you mean zb_h1?"));
  }
}

}  // namespace
}  // namespace lockstep::schedule
