#include "gui/core/timeline/flows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QKeyEvent>
#include <QTest>

#include "gui/core/timeline/comm_matrix.h"
#include "gui/core/timeline/describe.h"
#include "gui/widgets/comm_matrix_view.h"
#include "tests/gui/timeline/talking_trace.h"

namespace lockstep::gui::timeline {
namespace {

using ::testing::HasSubstr;

Timeline ring(int32_t ranks, int steps) {
  Timeline out;
  for (int32_t rank = 0; rank < ranks; ++rank)
    append(out.columns, columns_of(testing::talking_trace(rank, ranks, steps)));
  out.zoom = ZoomTable(out.columns);
  out.partners = partners_of(out.columns);
  return out;
}

/// The rank and step at the other end of each transfer of an activity.
std::vector<std::pair<int32_t, int32_t>> others(const Timeline& timeline, uint32_t activity) {
  std::vector<std::pair<int32_t, int32_t>> out;
  const auto [begin, end] = timeline.columns.transfers.of(activity);
  for (uint32_t i = begin; i < end; ++i) {
    const uint32_t other = timeline.columns.transfers.activity[timeline.partners[i]];
    out.emplace_back(timeline.columns.track_of_row(timeline.columns.row_of(other)).rank, timeline.columns.step[other]);
  }
  return out;
}

TEST(TimelineFlows, EachSendMeetsTheReceiveOfItsStep) {
  const Timeline timeline = ring(3, 50);
  ASSERT_EQ(timeline.columns.transfers.size(), 3u * 50 * 2);
  const auto& transfers = timeline.columns.transfers;
  EXPECT_TRUE(std::is_sorted(transfers.activity.begin(), transfers.activity.end()));
  for (uint32_t i = 0; i < transfers.size(); ++i) {
    const uint32_t partner = timeline.partners[i];
    ASSERT_NE(partner, kNoPartner);
    EXPECT_EQ(timeline.partners[partner], i);
    EXPECT_EQ(transfers.bytes[partner], transfers.bytes[i]);
    EXPECT_NE(transfers.way[partner], transfers.way[i]);
  }
}

TEST(TimelineFlows, ThereAreNoneWhereRecordsWereDropped) {
  Columns columns = ring(2, 3).columns;
  columns.dropped = 1;
  for (const uint32_t partner : partners_of(columns)) EXPECT_EQ(partner, kNoPartner);
}

TEST(TimelineFlows, TheSelectedOnesArePlacedOnBothRows) {
  const Timeline timeline = ring(3, 50);
  const Layout layout = lay_out(timeline.columns, {});
  const View view{{0, 500'000}, 1000, 600, 0};
  uint32_t selected = 0;
  while (timeline.columns.transfers.of(selected).first == timeline.columns.transfers.of(selected).second) ++selected;
  EXPECT_THAT(others(timeline, selected), ::testing::UnorderedElementsAre(std::pair(1, 0), std::pair(2, 0)));
  int drawn = 0;
  for (const FlowLine& line : flow_lines(timeline, layout, view, selected)) {
    if (!line.of_selected) continue;
    ++drawn;
    EXPECT_LE(line.x1_px, line.x2_px);
    const int from = line_at(layout, line.y1_px, 0), to = line_at(layout, line.y2_px, 0);
    ASSERT_TRUE(from >= 0 && to >= 0);
    EXPECT_NE(layout.lines[static_cast<size_t>(from)].rank, layout.lines[static_cast<size_t>(to)].rank);
    EXPECT_EQ(layout.lines[static_cast<size_t>(from)].label, "communication");
  }
  EXPECT_EQ(drawn, 2);
}

TEST(TimelineFlows, AllAreDrawnOnlyWhereTheyAreFew) {
  const Timeline timeline = ring(4, 1000);
  const Layout layout = lay_out(timeline.columns, {});
  EXPECT_TRUE(flow_lines(timeline, layout, {{0, 10'000'000}, 1000, 600, 0}, std::nullopt).empty());
  // Ten steps of four ranks, and what the cut begins and ends in.
  EXPECT_EQ(flow_lines(timeline, layout, {{50'000, 150'000}, 1000, 600, 0}, std::nullopt).size(), 40u);
  RowChoices collapsed;
  collapsed.collapsed = {0, 1, 2, 3};
  EXPECT_TRUE(
      flow_lines(timeline, lay_out(timeline.columns, collapsed), {{50'000, 150'000}, 1000, 600, 0}, {}).empty());
}

TEST(TimelineMatrix, AddsUpEverySendOnceWhateverIsHidden) {
  const Timeline timeline = ring(3, 10);
  const CommMatrix matrix = comm_matrix(timeline.columns, everything(timeline.columns), activity::Origin::measured);
  ASSERT_EQ(matrix.ranks, (std::vector<int32_t>{0, 1, 2}));
  int64_t bytes = 0;
  for (size_t from = 0; from < 3; ++from) {
    for (size_t to = 0; to < 3; ++to) {
      EXPECT_EQ(matrix.at(from, to).messages, to == (from + 1) % 3 ? 10 : 0);
      bytes += matrix.at(from, to).bytes;
    }
  }
  EXPECT_EQ(bytes, 3 * (10 * 1000 + 45));
  EXPECT_EQ(matrix.at(2, 0).time_ns, 10 * 2000);
  EXPECT_EQ(matrix.untold, 30);
  EXPECT_THAT(matrix.words.back(), HasSubstr("native"));
  EXPECT_TRUE(comm_matrix(timeline.columns, everything(timeline.columns), activity::Origin::planned).empty());
}

TEST(TimelineMatrix, IsOfTheAreaAlone) {
  const Timeline timeline = ring(3, 10);
  Area area = everything(timeline.columns);
  area.time = {20'000, 40'000};
  const CommMatrix matrix = comm_matrix(timeline.columns, area, activity::Origin::measured);
  EXPECT_EQ(matrix.at(0, 1).messages, 2);
  EXPECT_EQ(matrix.at(0, 1).bytes, 1002 + 1003);
  const report::Table table = matrix_table(matrix);
  EXPECT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].values[3].estimate.value, 2005);
}

TEST(TimelineMatrix, IsReadByMouseAndByKeyboard) {
  const Timeline timeline = ring(3, 10);
  CommMatrixView view;
  view.resize(300, 300);
  view.set_matrix(comm_matrix(timeline.columns, everything(timeline.columns), activity::Origin::measured),
                  CommMatrixView::Shows::bytes);
  view.show();
  EXPECT_EQ(view.focused_words(), "rank 0 to rank 0: nothing");
  QTest::keyClick(&view, Qt::Key_Right);
  EXPECT_THAT(view.focused_words().toStdString(), HasSubstr("rank 0 to rank 1: 10 messages, 10.0 kB (10045 B)"));
  EXPECT_EQ(view.accessibleDescription(), view.focused_words());
  QTest::mouseClick(&view, Qt::LeftButton, {}, view.cell_rect(2, 0).center());
  EXPECT_THAT(view.focused_words().toStdString(), HasSubstr("rank 2 to rank 0"));
  const QImage image = view.grab().toImage();
  EXPECT_NE(image.pixelColor(view.cell_rect(0, 1).center()), image.pixelColor(view.cell_rect(1, 0).center()));
}

TEST(TimelineDescribe, TellsToWhomAndFromWhom) {
  const Timeline timeline = ring(3, 1);
  uint32_t message = 0;
  while (timeline.columns.names[timeline.columns.name[message]] != "messages direct") ++message;
  EXPECT_THAT(describe(timeline.columns, message), HasSubstr("to rank 1: 1000 bytes"));
  EXPECT_THAT(describe(timeline.columns, message), HasSubstr("from rank 2: 1000 bytes"));
}

}  // namespace
}  // namespace lockstep::gui::timeline
