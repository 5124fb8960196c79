#include "gui/core/timeline/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gui/core/timeline/geometry.h"
#include "gui/core/timeline/totals.h"
#include "tests/gui/timeline/random_trace.h"

namespace lockstep::gui::timeline {
namespace {

using ::testing::ElementsAre;

Columns two_ranks() {
  Columns out = columns_of(testing::random_trace(1, 200));
  append(out, columns_of(testing::random_trace(0, 200)));
  activity::Trace plan;
  plan.origin = activity::Origin::planned;
  plan.names = {"0F0"}, plan.tracks = {{0, "main"}, {1, "main"}};
  plan.activities = {{0, 10, 0, 0, activity::Kind::compute, 0}, {0, 10, 0, 1, activity::Kind::compute, 0}};
  append(out, columns_of(plan));
  return out;
}

std::vector<std::string> labels(const Layout& layout) {
  std::vector<std::string> out;
  for (const Line& line : layout.lines) out.push_back(line.label);
  return out;
}

TEST(TimelineLayout, ARanksPlanIsAboveWhatWasMeasured) {
  EXPECT_THAT(labels(lay_out(two_ranks(), {})), ElementsAre("rank 0", "main (planned)", "main", "communication",
                                                            "rank 1", "main (planned)", "main", "communication"));
}

TEST(TimelineLayout, SideBySidePutsThePlanFirst) {
  RowChoices choices;
  choices.arrangement = Arrangement::side_by_side;
  EXPECT_THAT(labels(lay_out(two_ranks(), choices)),
              ElementsAre("rank 0 (planned)", "main (planned)", "rank 1 (planned)", "main (planned)",
                          "rank 0 (measured)", "main", "communication", "rank 1 (measured)", "main", "communication"));
}

TEST(TimelineLayout, CollapsedPinnedHiddenAndOneOriginOnly) {
  const Columns columns = two_ranks();
  RowChoices choices;
  choices.arrangement = Arrangement::measured;
  choices.collapsed = {0};
  choices.pinned = {1};
  for (const Track& track : columns.tracks) choices.hidden.push_back(track.name == "communication");
  const Layout layout = lay_out(columns, choices);
  EXPECT_THAT(labels(layout), ElementsAre("rank 1", "main", "rank 0"));
  EXPECT_EQ(layout.pinned_px, layout.lines[2].y_px);
  EXPECT_EQ(y_on_page(layout.lines[0], 5), 0) << "pinned lines do not scroll";
  EXPECT_EQ(y_on_page(layout.lines[2], 5), layout.lines[2].y_px - 5);
  EXPECT_EQ(line_at(layout, 3, 5), 0);
  EXPECT_EQ(line_at(layout, layout.pinned_px + 1, 5), 2);
  EXPECT_EQ(line_at(layout, layout.height_px + 100, 0), -1);
}

TEST(TimelineLayout, ACollapsedRankShowsEachOfItsMeasuredRowsElseItsPlan) {
  Timeline timeline{two_ranks(), {}};
  timeline.zoom = ZoomTable(timeline.columns);
  const auto origins_of_rows = [&](Arrangement arrangement) {
    RowChoices choices;
    choices.arrangement = arrangement, choices.collapsed = {0, 1};
    const auto [begin, end] = span_ns(timeline.columns);
    std::map<uint32_t, activity::Origin> out;
    for (const Box& box : boxes(timeline, lay_out(timeline.columns, choices),
                                {{static_cast<double>(begin), static_cast<double>(end)}, 300, 300, 0})) {
      out[box.row] = timeline.columns.track_of_row(box.row).origin;
    }
    return out;
  };
  const auto overlay = origins_of_rows(Arrangement::overlay), planned = origins_of_rows(Arrangement::planned);
  EXPECT_EQ(overlay.size(), timeline.columns.rows() - 2);
  for (const auto& [row, origin] : overlay) EXPECT_EQ(origin, activity::Origin::measured);
  EXPECT_EQ(planned.size(), 2u);
}

}  // namespace
}  // namespace lockstep::gui::timeline
