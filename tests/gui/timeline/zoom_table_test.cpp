#include "gui/core/timeline/zoom_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/gui/timeline/random_trace.h"

namespace lockstep::gui::timeline {
namespace {

std::vector<uint32_t> by_length(const Columns& columns, uint32_t from, uint32_t to) {
  std::vector<uint32_t> out(to - from);
  std::iota(out.begin(), out.end(), from);
  std::stable_sort(out.begin(), out.end(),
                   [&](uint32_t a, uint32_t b) { return columns.length_ns(a) > columns.length_ns(b); });
  return out;
}

TEST(TimelineZoomTable, EveryBucketIsWhatItsActivitiesSay) {
  const Columns columns = columns_of(testing::random_trace(0, 20000));
  const ZoomTable zoom(columns);
  size_t levels = 0;
  for (uint32_t row = 0; row < columns.rows(); ++row) {
    for (const ZoomLevel& level : zoom.levels(row)) {
      ++levels;
      std::map<int64_t, std::vector<uint32_t>> buckets;
      for (uint32_t i = columns.row_begin[row]; i < columns.row_begin[row + 1]; ++i) {
        buckets[columns.begin_ns[i] / (int64_t{1} << (2 * level.level))].push_back(i);
      }
      ASSERT_EQ(level.buckets.size(), buckets.size());
      size_t at = 0;
      for (const auto& [number, activities] : buckets) {
        const Bucket& bucket = level.buckets[at++];
        const std::vector<uint32_t> longest = by_length(columns, activities.front(), activities.back() + 1);
        double busy = 0;
        for (const uint32_t i : activities) busy += static_cast<double>(columns.length_ns(i));
        ASSERT_EQ(bucket.first, activities.front());
        ASSERT_EQ((&bucket + 1)->first, activities.back() + 1) << "the sentinel ends the last one";
        ASSERT_EQ(columns.length_ns(bucket.longest), columns.length_ns(longest[0]));
        if (longest.size() > 1) {
          ASSERT_NE(bucket.second, bucket.longest);
          ASSERT_EQ(columns.length_ns(bucket.second), columns.length_ns(longest[1]));
        } else {
          ASSERT_EQ(bucket.second, bucket.longest);
        }
        ASSERT_NEAR(bucket.busy_ns, busy, 1e-5 * busy);
      }
    }
  }
  EXPECT_GT(levels, 6u);
}

TEST(TimelineZoomTable, IsSmallAndEachLevelHalvesTheOneBefore) {
  const Columns columns = columns_of(testing::random_trace(0, 50000));
  const ZoomTable zoom(columns);
  EXPECT_LT(zoom.bytes(), 9 * columns.size());
  for (uint32_t row = 0; row < columns.rows(); ++row) {
    size_t most = (columns.row_begin[row + 1] - columns.row_begin[row]) / 4;
    for (const ZoomLevel& level : zoom.levels(row)) {
      EXPECT_LE(level.buckets.size(), most);
      most = level.buckets.size() / 2;
    }
  }
}

TEST(TimelineZoomTable, APixelGetsTheCoarsestLevelThatIsNotWider) {
  const Columns columns = columns_of(testing::random_trace(0, 20000));
  const ZoomTable zoom(columns);
  const uint32_t row = columns.tracks.back().first_row;
  const auto levels = zoom.levels(row);
  ASSERT_GE(levels.size(), 2u);
  const double second = std::pow(4.0, levels[1].level);
  EXPECT_EQ(zoom.level(row, second), &levels[1]);
  EXPECT_EQ(zoom.level(row, second * 0.999), &levels[0]);
  EXPECT_EQ(zoom.level(row, std::pow(4.0, levels[0].level) * 0.999), nullptr);
  EXPECT_EQ(zoom.level(row, 1e18), &levels.back());
}

TEST(TimelineZoomTable, OfNothingAndOfOneActivityIsEmpty) {
  EXPECT_EQ(ZoomTable(Columns()).bytes(), 0u);
  activity::Trace one;
  one.names = {"a"}, one.tracks = {{0, "main"}}, one.activities = {{5, 5, 0, 0}};
  const ZoomTable zoom(columns_of(one));
  EXPECT_TRUE(zoom.levels(0).empty());
}

}  // namespace
}  // namespace lockstep::gui::timeline
