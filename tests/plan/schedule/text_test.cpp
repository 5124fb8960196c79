#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/contract/failure.h"
#include "reference_trainer/plan/schedule/transfers.h"
#include "tests/plan/schedule/cases.h"

namespace lockstep::schedule {
namespace {

TEST(ScheduleText, EveryScheduleParsesBack) {
  for (const Case& c : all_cases()) {
    const std::string printed = print(insert_transfers(generate(c.row->name, c.numbers)));
    EXPECT_EQ(print(parse(printed)), printed) << label(c);
  }
}

TEST(ScheduleText, IsAsDocumented) {
  EXPECT_EQ(print(generate("gpipe", {.ranks = 2, .microbatches = 2})),
            "schedule gpipe ranks=2 microbatches=2 chunks=1 per_update=1 flush=1 order=fixed\n"
            "place 0 1\n"
            "direction 0 0\n"
            "rank 0F0 0F1 0B0 0B1\n"
            "rank 1F0 1F1 1B0 1B1\n");
}

TEST(ScheduleText, WhatIsWrongIsRefusedWithItsLine) {
  const std::string head = "schedule x ranks=2 microbatches=1 chunks=1 per_update=1 flush=1 order=fixed\n";
  const std::pair<std::string, std::string> wrong[] = {
      {"gpipe", "line 1: gpipe: expected \"schedule ...\""},
      {"schedule x ranks=0 microbatches=1 chunks=1 per_update=1 flush=1 order=fixed", "line 1: 0: expected a number"},
      {head + "place 0 2\n", "line 2: 2: expected less than 2"},
      {head + "place 0 1\nplace 0\n", "line 3: 1: expected 2 stages"},
      {head + "place 0 1\ndirection 0 0\n", "line 3: 2: expected 1 directions"},
      {head + "place 0 1\ndirection 0\nrank 0F0 0B0\n", "line 4: 1: expected 2 ranks"},
      {head + "place 0 1\ndirection 0\nrank 0X0\n", "expected F, B, I, W"},
  };
  for (const auto& [text, message] : wrong) {
    try {
      parse(text);
      ADD_FAILURE() << text;
    } catch (const Failure& failure) {
      EXPECT_THAT(failure.what(), testing::HasSubstr(message));
    }
  }
}

}  // namespace
}  // namespace lockstep::schedule
