#include "harness/run/plan.h"

#include <gmock/gmock.h>

#include <set>

namespace lockstep::run {
namespace {

using store::LaunchMode;
using store::LaunchStatus;

suite::PlannedCell cell(const std::string& text, bool refused = false) {
  suite::PlannedCell cell;
  cell.text = text, cell.system_id = text.substr(text.find(' ') + 1, 9);
  if (refused) cell.refused = suite::Reason{"unsupported", "because"};
  return cell;
}

std::vector<PlannedLaunch> example() {
  suite::Suite suite;
  suite.id = "s", suite.launches = 2, suite.profile = true;
  return plan(suite, {cell("w reference serial"), cell("w fake serial"), cell("w fake tp2", true)}, {"w fake serial"});
}

store::LaunchRow row(const PlannedLaunch& p, LaunchStatus status) {
  store::LaunchRow row;
  row.id = p.id, row.number = p.number, row.cell = p.cell, row.mode = p.mode, row.block = p.block;
  row.repetition = p.repetition, row.status = status;
  return row;
}

TEST(Plan, ProofsFirstThenRefusedOnceThenBlocksThenProfiles) {
  const auto all = example();
  ASSERT_EQ(all.size(), 1U + 1 + 4 + 1);
  EXPECT_EQ(all[0].mode, LaunchMode::verify);
  EXPECT_EQ(all[1].cell, "w fake tp2");
  EXPECT_EQ(all[2].block, 0);
  EXPECT_EQ(all[5].block, 1);
  EXPECT_EQ(all[2].cell, all[5].cell);  // the second block is the first one's reverse
  EXPECT_EQ(all[6].mode, LaunchMode::profile);
  EXPECT_EQ(all[6].cell, "w reference serial");
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].number, static_cast<int64_t>(i) + 1);
}

TEST(Plan, ReadsBack) {
  const auto all = example();
  EXPECT_EQ(to_json(from_json(to_json(all))), to_json(all));
}

TEST(Plan, WhatRemains) {
  const auto all = example();
  const std::vector<store::LaunchRow> known{row(all[0], LaunchStatus::finished), row(all[1], LaunchStatus::skipped),
                                            row(all[2], LaunchStatus::failed), row(all[3], LaunchStatus::interrupted),
                                            row(all[4], LaunchStatus::running)};
  const auto rest = remaining(all, known, false);
  ASSERT_EQ(rest.size(), 4U);
  EXPECT_EQ(rest[0].number, 8);  // interrupted: a new number and a new id
  EXPECT_NE(rest[0].id, all[3].id);
  EXPECT_EQ(rest[1].number, all[4].number);  // begun: goes on under its own
  EXPECT_EQ(rest[1].id, all[4].id);
  EXPECT_EQ(remaining(all, known, true).size(), 5U);
  // The repetition of the interrupted one finished under its new number: nothing is left of it.
  auto later = known;
  later.push_back(row(rest[0], LaunchStatus::finished));
  EXPECT_EQ(remaining(all, later, false).size(), 3U);
}

}  // namespace
}  // namespace lockstep::run
