#include "gui/core/timeline/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gui/timeline/random_trace.h"

namespace lockstep::gui::timeline {
namespace {

using activity::Activity;
using activity::Kind;
using ::testing::ElementsAre;

std::vector<std::string> names_of_row(const Columns& columns, uint32_t row) {
  std::vector<std::string> out;
  for (uint32_t i = columns.row_begin[row]; i < columns.row_begin[row + 1]; ++i)
    out.push_back(columns.names[columns.name[i]]);
  return out;
}

activity::Trace nested() {
  activity::Trace out;
  out.names = {"call", "inner", "mark", "call"};
  out.tracks = {{3, "idle"}, {3, "main"}};
  out.activities = {{10, 20, 1, 1, Kind::compute},  // inner ends, and so is recorded, before its caller
                    {0, 50, 0, 1, Kind::compute},
                    {30, 40, 1, 1, Kind::compute},
                    {50, 60, 3, 1, Kind::compute},
                    {50, 50, 2, 1, Kind::other}};
  out.dropped = 7;
  return out;
}

TEST(TimelineColumns, ACallIsAboveWhatItCallsAndEachNameStandsOnce) {
  const Columns columns = columns_of(nested());
  ASSERT_EQ(columns.rows(), 2u) << "the track without activities has no row";
  EXPECT_THAT(names_of_row(columns, 0), ElementsAre("call", "mark", "call"));
  EXPECT_THAT(names_of_row(columns, 1), ElementsAre("inner", "inner"));
  EXPECT_THAT(columns.names, ElementsAre("call", "inner", "mark"));
  EXPECT_EQ(columns.dropped, 7);
  EXPECT_EQ(columns.tracks[0].rank, 3);
  EXPECT_EQ(span_ns(columns), std::pair(int64_t{0}, int64_t{60}));
}

TEST(TimelineColumns, RowsAreSortedDoNotOverlapAndHoldEverything) {
  const activity::Trace trace = testing::random_trace(0, 5000);
  const Columns columns = columns_of(trace);
  ASSERT_EQ(columns.size(), trace.activities.size());
  EXPECT_GT(columns.rows(), 2u) << "the trace is meant to nest and overlap";
  for (uint32_t row = 0; row < columns.rows(); ++row) {
    for (uint32_t i = columns.row_begin[row] + 1; i < columns.row_begin[row + 1]; ++i) {
      ASSERT_LE(columns.end_ns[i - 1], columns.begin_ns[i]);
    }
    EXPECT_EQ(columns.row_of(columns.row_begin[row]), row);
    EXPECT_EQ(columns.row_of(columns.row_begin[row + 1] - 1), row);
  }
  const auto sum = [](const auto& values) { return std::accumulate(values.begin(), values.end(), int64_t{0}); };
  int64_t bytes = 0, lengths = 0;
  for (const Activity& a : trace.activities) bytes += a.bytes, lengths += a.end_ns - a.begin_ns;
  EXPECT_EQ(sum(columns.bytes), bytes);
  EXPECT_EQ(sum(columns.end_ns) - sum(columns.begin_ns), lengths);
}

TEST(TimelineColumns, OfSeveralRanksShareNamesAndKeepTheirTracks) {
  Columns whole = columns_of(testing::random_trace(0, 300));
  const Columns second = columns_of(testing::random_trace(1, 200));
  const size_t names = whole.names.size(), size = whole.size();
  append(whole, second);
  EXPECT_EQ(whole.names.size(), names);
  ASSERT_EQ(whole.size(), size + second.size());
  const Track& track = whole.tracks.back();
  EXPECT_EQ(track.rank, 1);
  EXPECT_EQ(&whole.track_of_row(track.first_row), &track);
  const uint32_t last = whole.row_begin.back() - 1;
  EXPECT_EQ(whole.begin_ns[last], second.begin_ns.back());
  EXPECT_EQ(whole.names[whole.name[last]], second.names[second.name.back()]);
}

}  // namespace
}  // namespace lockstep::gui::timeline
