#include "gui/core/timeline/geometry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/gui/timeline/random_trace.h"

namespace lockstep::gui::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Timeline timeline_of(const activity::Trace& trace) {
  Timeline out{columns_of(trace), {}};
  shift(out.columns, -span_ns(out.columns).first);
  out.zoom = ZoomTable(out.columns);
  return out;
}

Range whole(const Timeline& timeline) {
  const auto [begin, end] = span_ns(timeline.columns);
  return {static_cast<double>(begin), static_cast<double>(end)};
}

std::vector<Box> row_boxes(const Timeline& timeline, uint32_t row, const View& view) {
  std::vector<Box> out;
  add_row(timeline, row, view, 0, 10, out);
  return out;
}

/// All views that a test looks at: from everything to one pixel a nanosecond, at the begin, middle and end.
std::vector<View> views(const Timeline& timeline) {
  std::vector<View> out;
  const Range all = whole(timeline);
  for (double share = 1; share * all.length() > 1000; share /= 5) {
    for (const double place : {0.0, 0.37, 1.0}) {
      const double length = share * all.length(), begin = all.begin_ns + place * (all.length() - length);
      out.push_back({{begin, begin + length}, 500, 300, 0});
    }
  }
  return out;
}

TEST(TimelineGeometry, AtMostTwoPrimitivesBeginInAPixelOfARow) {
  const Timeline timeline = timeline_of(testing::random_trace(0, 20000));
  for (const View& view : views(timeline)) {
    for (uint32_t row = 0; row < timeline.columns.rows(); ++row) {
      std::map<int, int> begins;
      for (const Box& box : row_boxes(timeline, row, view)) {
        EXPECT_LE(++begins[static_cast<int>(std::floor(box.x_px))], 2);
      }
    }
  }
}

TEST(TimelineGeometry, EveryActivityOfTheViewIsInABoxAtMostAPixelAway) {
  const Timeline timeline = timeline_of(testing::random_trace(0, 20000));
  const Columns& columns = timeline.columns;
  for (const View& view : views(timeline)) {
    for (uint32_t row = 0; row < columns.rows(); ++row) {
      std::map<uint32_t, Box> boxes;  // by their first activity
      for (const Box& box : row_boxes(timeline, row, view)) boxes[box.first] = box;
      for (uint32_t i = columns.row_begin[row]; i < columns.row_begin[row + 1]; ++i) {
        const double begin = static_cast<double>(columns.begin_ns[i]), end = static_cast<double>(columns.end_ns[i]);
        if (end <= view.time.begin_ns || begin >= view.time.end_ns) continue;
        auto box = boxes.upper_bound(i);
        ASSERT_NE(box, boxes.begin());
        --box;
        ASSERT_LT(i, box->second.first + box->second.count);
        const double x = std::clamp(view.x_of(begin), 0.0, view.width_px);
        ASSERT_GE(x, box->second.x_px - 1.001);
        ASSERT_LE(x, box->second.x_px + box->second.width_px + 1.001);
        ASSERT_EQ(box->second.folded, end - begin < view.ns_per_px() || box->second.count > 1);
      }
    }
  }
}

TEST(TimelineGeometry, AFoldedBoxKnowsItsCountItsLongestAndHowBusyItIs) {
  activity::Trace trace;
  trace.names = {"a", "b"}, trace.tracks = {{0, "main"}};
  for (int i = 0; i < 100; ++i) {
    const bool longest = i == 37;
    trace.activities.push_back({i * 10, i * 10 + (longest ? 8 : 5), longest ? 1u : 0u, 0});
  }
  const Timeline timeline = timeline_of(trace);
  const View view{{0, 100000}, 100, 20, 0};  // a pixel is 1000 ns: all of them
  const std::vector<Box> boxes = row_boxes(timeline, 0, view);
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_TRUE(boxes[0].folded);
  EXPECT_EQ(boxes[0].count, 100u);
  EXPECT_EQ(timeline.columns.names[timeline.columns.name[boxes[0].activity]], "b");
  EXPECT_NEAR(boxes[0].busy, 0.503, 1e-6);
}

TEST(TimelineGeometry, ARowWithAnyEventShowsAtLeastOnePixel) {
  activity::Trace trace;
  trace.names = {"a"}, trace.tracks = {{0, "main"}, {1, "main"}};
  trace.activities = {{0, 1'000'000'000'000, 0, 0}, {500, 500, 0, 1}};
  const Timeline timeline = timeline_of(trace);
  const View view{{0, 1e12}, 100, 20, 0};
  const std::vector<Box> boxes = row_boxes(timeline, 1, view);
  ASSERT_EQ(boxes.size(), 1u);
  const auto [left, right] = painted(boxes[0]);
  EXPECT_EQ(right - left, 1);
}

TEST(TimelineGeometry, PixelsGoBackToTheActivityThatIsPaintedThere) {
  const Timeline timeline = timeline_of(testing::random_trace(2, 4000));
  const Layout layout = lay_out(timeline.columns, {});
  for (View view : views(timeline)) {
    view.height_px = layout.height_px;
    const std::vector<Box> all = boxes(timeline, layout, view);
    for (const Box& box : all) {
      const auto [left, right] = painted(box);
      const auto found = box_at(all, (left + right) / 2.0, box.y_px + box.height_px / 2);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->row, box.row);
      if (found->first == box.first) continue;
      const auto [over_left, over_right] = painted(*found);  // another box of the row lies over this point
      ASSERT_LE(over_left, (left + right) / 2.0);
      ASSERT_GT(over_right, (left + right) / 2.0);
      ASSERT_LE(std::abs(found->x_px - box.x_px), 1.5) << "only neighbours share a pixel";
    }
    EXPECT_NEAR(view.ns_of(view.x_of(view.time.begin_ns + 123.25)), view.time.begin_ns + 123.25, 1e-3);
  }
}

TEST(TimelineGeometry, NothingIsUnderAGap) {
  activity::Trace trace;
  trace.names = {"a"}, trace.tracks = {{0, "main"}}, trace.activities = {{0, 100, 0, 0}, {900, 1000, 0, 0}};
  const Timeline timeline = timeline_of(trace);
  const Layout layout = lay_out(timeline.columns, {});
  const std::vector<Box> all = boxes(timeline, layout, {{0, 1000}, 100, 100, 0});
  const double y = layout.lines[1].y_px + 4;
  EXPECT_EQ(box_at(all, 5, y)->activity, 0u);
  EXPECT_FALSE(box_at(all, 50, y));
  EXPECT_EQ(box_at(all, 95, y)->activity, 1u);
}

std::vector<std::string> texts(const Ruler& ruler) {
  std::vector<std::string> out;
  for (const Tick& tick : ruler.ticks) out.push_back(tick.text);
  return out;
}

TEST(TimelineRuler, CountsInOneUnitByOneTwoFive) {
  EXPECT_THAT(texts(ruler({{0, 6e6}, 500, 10, 0})), ElementsAre("0 ms", "2 ms", "4 ms"));
  EXPECT_THAT(texts(ruler({{0, 1.2e9}, 500, 10, 0})), ElementsAre("0.0 s", "0.5 s", "1.0 s"));
  EXPECT_THAT(texts(ruler({{100, 180}, 500, 10, 0})), ElementsAre("100 ns", "120 ns", "140 ns", "160 ns"));
}

TEST(TimelineRuler, FarFromTheBeginCountsFromARoundTime) {
  const Ruler far = ruler({{3'000'000'250.0, 3'000'001'250.0}, 500, 10, 0});
  EXPECT_EQ(far.from, "from 3 s");
  EXPECT_THAT(texts(far), ElementsAre("+0.4 µs", "+0.6 µs", "+0.8 µs", "+1.0 µs", "+1.2 µs"));
}

TEST(TimelineRuler, TimesAreExactToTheNanosecond) {
  EXPECT_EQ(time_text(0), "0 ns");
  EXPECT_EQ(time_text(17), "17 ns");
  EXPECT_EQ(time_text(1'234'567), "1.234567 ms");
  EXPECT_EQ(time_text(2'000'000'000), "2 s");
  EXPECT_EQ(time_text(-1500), "-1.5 µs");
}

TEST(TimelineRange, ZoomKeepsTheTimeUnderTheCursorAndStaysInside) {
  const Range whole{0, 1000}, half = zoomed(whole, 0.5, 250, whole);
  EXPECT_EQ(half, (Range{125, 625}));
  EXPECT_EQ(zoomed(half, 100, 400, whole), whole);
  EXPECT_NEAR(zoomed(half, 1e-9, 400, whole).length(), kShortest_ns, 1e-9);
  EXPECT_EQ(moved(half, 10000, whole), (Range{500, 1000}));
  EXPECT_EQ(moved(half, -10000, whole), (Range{0, 500}));
  EXPECT_EQ(around(400, 500, whole), (Range{390, 510}));
}

}  // namespace
}  // namespace lockstep::gui::timeline
