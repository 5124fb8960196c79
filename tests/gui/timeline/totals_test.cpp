#include "gui/core/timeline/totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "gui/core/timeline/diff.h"
#include "gui/core/timeline/neighbours.h"
#include "gui/core/timeline/overlay.h"
#include "results/report/lint.h"
#include "tests/gui/timeline/random_trace.h"

namespace lockstep::gui::timeline {
namespace {

using activity::Activity;
using activity::Kind;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

/// What a report may say of a table by the rules for reporting measurements.
std::vector<std::string> complaints(const report::Table& table) {
  report::ReportModel model;
  model.sections.push_back({.title = "timeline", .tables = {table}});
  std::vector<std::string> out = report::lint(model);
  std::erase_if(out, [](const std::string& one) { return one.starts_with("set-up"); });
  return out;
}

TEST(TimelineTotals, AreWhatEachActivitySays) {
  const activity::Trace trace = testing::random_trace(0, 6000);
  const Columns columns = columns_of(trace);
  Area area = everything(columns);
  const double length = area.time.length();
  area.time = {area.time.begin_ns + 0.2 * length, area.time.begin_ns + 0.6 * length};
  std::map<std::string, std::vector<int64_t>> lengths;
  std::map<std::string, int64_t> inside, bytes;
  for (const Activity& a : trace.activities) {
    const double begin = static_cast<double>(a.begin_ns), end = static_cast<double>(a.end_ns);
    if (begin >= area.time.end_ns || (end <= area.time.begin_ns && begin < area.time.begin_ns)) continue;
    lengths[trace.names[a.name]].push_back(a.end_ns - a.begin_ns);
    inside[trace.names[a.name]] +=
        static_cast<int64_t>(std::min(end, area.time.end_ns) - std::max(begin, area.time.begin_ns));
    bytes[trace.names[a.name]] += a.bytes;
  }
  const std::vector<Total> all = totals(columns, area);
  ASSERT_EQ(all.size(), lengths.size());
  for (const Total& total : all) {
    const std::string& name = columns.names[total.name];
    std::vector<int64_t>& own = lengths[name];
    std::sort(own.begin(), own.end());
    EXPECT_EQ(total.count, static_cast<int64_t>(own.size())) << name;
    EXPECT_EQ(total.total_ns, std::accumulate(own.begin(), own.end(), int64_t{0})) << name;
    EXPECT_EQ(total.inside_ns, inside[name]) << name;
    EXPECT_EQ(total.least_ns, own.front()) << name;
    EXPECT_EQ(total.greatest_ns, own.back()) << name;
    EXPECT_EQ(total.p95_ns, own[static_cast<size_t>(std::ceil(0.95 * static_cast<double>(own.size()))) - 1]) << name;
    EXPECT_EQ(total.bytes, bytes[name]) << name;
  }
}

TEST(TimelineTotals, ATrackThatIsLeftOutChangesNoOtherNumber) {
  const Columns columns = columns_of(testing::random_trace(0, 3000));
  Area both = everything(columns), main_only = both;
  std::erase_if(main_only.tracks, [&](uint32_t t) { return columns.tracks[t].name != "main"; });
  std::map<uint32_t, Total> of_both;
  for (const Total& total : totals(columns, both)) of_both[total.name] = total;
  const std::vector<Total> rest = totals(columns, main_only);
  ASSERT_LT(rest.size(), of_both.size());
  for (const Total& total : rest) {
    if (columns.names[total.name] == "fc1") continue;  // nested ones lie on both tracks
    EXPECT_EQ(total.total_ns, of_both[total.name].total_ns) << columns.names[total.name];
    EXPECT_EQ(total.count, of_both[total.name].count) << columns.names[total.name];
  }
}

TEST(TimelineTotals, TableNamesUnitsAndKeepsTheRulesForReports) {
  const Columns columns = columns_of(testing::random_trace(0, 3000));
  const report::Table table = totals_table(columns, everything(columns));
  EXPECT_THAT(complaints(table), ::testing::IsEmpty());
  ASSERT_FALSE(table.rows.empty());
  double last = std::numeric_limits<double>::infinity();
  for (const report::Row& row : table.rows) {
    ASSERT_EQ(row.values.size(), table.columns.size());
    EXPECT_LE(row.values[3].estimate.value, last) << "the most time first";
    last = row.values[3].estimate.value;
  }
  EXPECT_EQ(table.columns[3].key, "total_s");
  EXPECT_EQ(table.rows[0].values.back().text, "measured");
  EXPECT_THAT(table.title, HasSubstr("all rows"));
}

activity::Trace trace_of(std::vector<Activity> activities) {
  activity::Trace out;
  out.names = {"same", "slow", "gone", "new", "fast"}, out.tracks = {{0, "main"}};
  out.activities = std::move(activities);
  return out;
}

Activity one(uint32_t name, int64_t begin, int64_t length, int32_t step) {
  return {begin, begin + length, name, 0, Kind::compute, step};
}

TEST(TimelineDiff, NamesAreOfOneSideOrOneIsFasterOrUnchangedByTimeAStep) {
  // B has twice the steps: the same time a step is unchanged though it is twice the time in all.
  const Columns a =
      columns_of(trace_of({one(0, 0, 100, 0), one(1, 100, 100, 0), one(2, 200, 50, 0), one(4, 300, 100, 0)}));
  const Columns b = columns_of(trace_of({one(0, 0, 100, 0), one(1, 100, 120, 0), one(3, 300, 10, 0), one(4, 400, 60, 0),
                                         one(0, 500, 104, 1), one(1, 700, 120, 1), one(4, 900, 60, 1)}));
  const report::Table table = diff({a, "@1.3 serial"}, {b, "@2.3 dp2"});
  std::map<std::string, report::Row> rows;
  for (const report::Row& row : table.rows) rows[row.values[0].text] = row;
  EXPECT_EQ(rows.at("same").values[2].text, "unchanged");
  EXPECT_EQ(rows.at("slow").values[2].text, "A faster");
  EXPECT_EQ(rows.at("fast").values[2].text, "B faster");
  EXPECT_EQ(rows.at("gone").values[2].text, "only in A");
  EXPECT_EQ(rows.at("new").values[2].text, "only in B");
  EXPECT_EQ(rows.at("slow").values[4].text, "2");
  EXPECT_DOUBLE_EQ(rows.at("slow").values[7].estimate.value, 1.2);
  EXPECT_NEAR(rows.at("same").values[6].estimate.value, 102e-9, 1e-15);
  EXPECT_EQ(rows.at("gone").values[6].missing, "B has none");
  EXPECT_EQ(rows.at("new").values[7].missing, "only one side has it");
  EXPECT_EQ(table.rows[0].values[0].text, "gone") << "what changed most comes first";
  EXPECT_THAT(complaints(table), ::testing::IsEmpty());
}

TEST(TimelineDiff, TheBarrierBeforeTheFirstRecordedStepIsNoStep) {
  activity::Trace trace = trace_of({one(0, 100, 100, 5), one(0, 200, 100, 6)});
  trace.tracks.push_back({0, "communication"});
  trace.activities.push_back({50, 60, 1, 1, Kind::communication, 4});
  const Columns columns = columns_of(trace);
  const report::Table table = diff({columns, "@1.3 serial"}, {columns, "@1.4 serial"});
  EXPECT_THAT(table.notes[0], HasSubstr("2 steps were recorded in A, 2 in B"));
}

TEST(TimelineOverlay, ThePlanIsStretchedToEachMeasuredStep) {
  const Columns measured = columns_of(trace_of({one(0, 100, 50, 4), one(1, 150, 50, 4), one(0, 200, 400, 5)}));
  activity::Trace plan = trace_of({one(2, 0, 10, 0), one(3, 10, 30, 0)});
  plan.origin = activity::Origin::planned;
  const Overlaid overlaid = overlay(columns_of(plan), steps_of(measured));
  const Columns& c = overlaid.columns;
  ASSERT_EQ(c.size(), 4u);
  EXPECT_THAT(c.begin_ns, ::testing::ElementsAre(100, 125, 200, 300));
  EXPECT_THAT(c.end_ns, ::testing::ElementsAre(125, 200, 300, 600));
  EXPECT_THAT(c.step, ::testing::ElementsAre(4, 4, 5, 5));
  EXPECT_THAT(overlaid.note, AllOf(HasSubstr("proportions"), HasSubstr("by 2.50 to 10.0")));
}

TEST(TimelineOverlay, WithoutMeasuredStepsThePlanStandsAlone) {
  activity::Trace plan = trace_of({one(2, 0, 10, 0)});
  plan.origin = activity::Origin::planned;
  EXPECT_EQ(overlay(columns_of(plan), {}).columns.end_ns, std::vector<int64_t>{10});
}

TEST(TimelineNeighbours, OfTheSameNameOverAllLanesAndBack) {
  const Columns columns = columns_of(testing::random_trace(0, 1000));
  const Track& track = columns.tracks.back();
  const auto [from, to] = columns.range(track);
  std::vector<uint32_t> same;
  for (uint32_t i = from; i < to; ++i) {
    if (columns.names[columns.name[i]] == "fc1") same.push_back(i);
  }
  std::stable_sort(same.begin(), same.end(),
                   [&](uint32_t a, uint32_t b) { return columns.begin_ns[a] < columns.begin_ns[b]; });
  std::optional<uint32_t> at = same.front();
  for (size_t i = 1; i < same.size(); ++i) {
    const auto next = same_name(columns, *at, Direction::next);
    ASSERT_EQ(next, same[i]);
    ASSERT_EQ(same_name(columns, *next, Direction::previous), at);
    at = next;
  }
  EXPECT_FALSE(same_name(columns, *at, Direction::next));
  EXPECT_FALSE(beside(columns, columns.row_begin[0], Direction::previous));
  EXPECT_EQ(beside(columns, columns.row_begin[0], Direction::next), columns.row_begin[0] + 1);
}

TEST(TimelineNeighbours, NearestIsWhatGoesOnElseTheCloserOne) {
  const Columns columns = columns_of(trace_of({one(0, 100, 50, 0), one(1, 200, 50, 0)}));
  EXPECT_EQ(nearest(columns, 0, 0), 0u);
  EXPECT_EQ(nearest(columns, 0, 120), 0u);
  EXPECT_EQ(nearest(columns, 0, 170), 0u);
  EXPECT_EQ(nearest(columns, 0, 180), 1u);
  EXPECT_EQ(nearest(columns, 0, 9000), 1u);
}

}  // namespace
}  // namespace lockstep::gui::timeline
