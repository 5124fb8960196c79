#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <map>

#include "gui/core/schedule_geometry.h"
#include "gui/core/schedule_picture.h"
#include "gui/core/text.h"
#include "gui/widgets/schedule_view.h"
#include "reference_trainer/plan/schedule/picture.h"
#include "reference_trainer/plan/schedule/simulate.h"
#include "reference_trainer/plan/schedule/table.h"

namespace lockstep::gui {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

schedule::Schedule schedule_named(std::string_view name) {
  return schedule::generate(name, {4, 8, name == "interleaved" ? 2 : 1, 1});
}

SchedulePicture one_forward_one_backward() { return picture_of(schedule_named("1f1b")); }

/// The picture as the command line draws it, from boxes alone.
std::string drawn(const SchedulePicture& picture) {
  size_t width = 2;
  for (const ScheduleBox& box : picture.boxes) width = std::max(width, box.label.size());
  const auto cells = static_cast<size_t>(picture.makespan);
  std::vector<std::vector<std::string>> rows(picture.rows.size(),
                                             std::vector<std::string>(cells, std::string(width, '.')));
  for (const ScheduleBox& box : picture.boxes) {
    auto& row = rows[static_cast<size_t>(box.rank)];
    for (int i = 0; i < static_cast<int>(box.length); ++i)
      row[static_cast<size_t>(box.start) + static_cast<size_t>(i)] =
          i == 0 ? fmt::format("{:<{}}", box.label, width) : std::string(width, '-');
  }
  std::string out;
  for (size_t rank = 0; rank < rows.size(); ++rank) {
    std::string line = picture.rows[rank] + " ";
    for (const std::string& cell : rows[rank]) line += " " + cell;
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

TEST(SchedulePictures, OfEverySchedulesBoxesAreThoseOfTheCommandLine) {
  for (const schedule::Row& row : schedule::schedules()) {
    const schedule::Schedule schedule = schedule_named(row.name);
    const SchedulePicture picture = picture_of(schedule);
    EXPECT_EQ(drawn(picture), schedule::picture(schedule, schedule::simulate(schedule, {{schedule::Times{}}, 0})))
        << row.name;
    EXPECT_EQ(picture.table.rows.size(), picture.boxes.size());
  }
}

TEST(SchedulePictures, BoxesAndBubblesFillEveryRanksTime) {
  for (const schedule::Row& row : schedule::schedules()) {
    const SchedulePicture picture = picture_of(schedule_named(row.name));
    std::map<int, double> filled;
    for (const ScheduleBox& box : picture.boxes) filled[box.rank] += box.length;
    for (const ScheduleBubble& bubble : picture.bubbles) filled[bubble.rank] += bubble.length;
    for (const auto& [rank, time] : filled) EXPECT_EQ(time, picture.makespan) << row.name << " rank " << rank;
  }
}

TEST(SchedulePictures, SayIdleShareAndActivationsInFlight) {
  const SchedulePicture picture = one_forward_one_backward();
  EXPECT_THAT(picture.words, Contains(HasSubstr("(p-1)/(m+p-1) = 27.3 % of the step (37.5 % of ideal)")));
  EXPECT_THAT(picture.words, Contains("Activations in flight, at most: 4 on stage 0, 1 where there are fewest; by the "
                                      "formula min(p-s, m)."));
}

TEST(ScheduleGeometryTest, APlaceLeadsToItsBoxAndTheBoxToItsPlace) {
  for (const schedule::Row& row : schedule::schedules()) {
    const SchedulePicture picture = picture_of(schedule_named(row.name));
    for (const auto& [from, to] : {std::pair(0.0, 0.0), {3.0, 11.5}}) {
      const ScheduleGeometry at = fit(picture, 900, 300, 80, 30, 40, from, to);
      EXPECT_NEAR(at.time_of(at.x_of(7.25)), 7.25, 1e-9);
      for (size_t i = 0; i < picture.boxes.size(); ++i) {
        const PixelRect rect = at.rect_of(picture.boxes[i]);
        const double x = rect.x + rect.width / 2, y = rect.y + rect.height / 2;
        if (x < at.left) continue;
        EXPECT_EQ(box_at(picture, at, x, y), i) << row.name;
      }
      for (const ScheduleBubble& bubble : picture.bubbles) {
        const PixelRect rect = at.rect_of(bubble.rank, bubble.start, bubble.length);
        EXPECT_EQ(box_at(picture, at, rect.x + rect.width / 2, rect.y + rect.height / 2), std::nullopt) << row.name;
      }
      EXPECT_EQ(box_at(picture, at, at.left - 1, at.top + 1), std::nullopt);
      EXPECT_EQ(box_at(picture, at, at.left + 1, at.top - 1), std::nullopt);
      EXPECT_EQ(box_at(picture, at, at.left + 1, at.top + at.row_height * 4 + 1), std::nullopt);
    }
  }
}

TEST(ScheduleGeometryTest, ArrowsReachEveryBoxAndStayInside) {
  const SchedulePicture picture = one_forward_one_backward();
  size_t box = 0, reached = 1;
  for (int rank = 0; rank < 4; ++rank) {
    while (neighbour(picture, box, -1, 0) != box) box = neighbour(picture, box, -1, 0);
    for (; neighbour(picture, box, 1, 0) != box; ++reached) box = neighbour(picture, box, 1, 0);
    EXPECT_EQ(picture.boxes[box].rank, rank);
    const size_t below = neighbour(picture, box, 0, 1);
    EXPECT_EQ(below == box, rank == 3);
    if (below != box) ++reached, box = below;
  }
  EXPECT_EQ(neighbour(picture, 0, 0, -1), 0U);
  EXPECT_EQ(reached, picture.boxes.size());
}

class ScheduleViewTest : public ::testing::Test {
 protected:
  ScheduleViewTest() {
    view.resize(900, view.sizeHint().height());
    view.set_picture(one_forward_one_backward());
    view.resize(900, view.sizeHint().height());
    view.show();
    QTest::qWait(20);
  }
  QPoint middle_of(size_t box) {
    const PixelRect rect = view.geometry_now().rect_of(view.picture().boxes[box]);
    return QPointF(rect.x + rect.width / 2, rect.y + rect.height / 2).toPoint();
  }
  ScheduleView view;
};

TEST_F(ScheduleViewTest, PaintsForwardAndBackwardInTheirColoursAndBubblesInNone) {
  const QImage image = view.grab().toImage();
  const auto colour = [&](const PixelRect& rect) {
    return image.pixelColor(static_cast<int>(rect.x + 3), static_cast<int>(rect.y + 3));
  };
  for (const ScheduleBox& box : view.picture().boxes) {
    const QColor seen = colour(view.geometry_now().rect_of(box));
    const bool blue = seen.blue() > seen.red() + 20, orange = seen.red() > seen.blue() + 20;
    EXPECT_EQ(blue, box.kind == schedule::ActionKind::F) << box.label << " " << seen.name().toStdString();
    EXPECT_EQ(orange, box.kind == schedule::ActionKind::B) << box.label << " " << seen.name().toStdString();
  }
  for (const ScheduleBubble& bubble : view.picture().bubbles) {
    const QColor seen = colour(view.geometry_now().rect_of(bubble.rank, bubble.start, bubble.length));
    EXPECT_LT(std::abs(seen.red() - seen.blue()), 12) << seen.name().toStdString();
  }
}

TEST_F(ScheduleViewTest, AClickAndArrowsTellWhatABoxIs) {
  QSignalSpy told(&view, &ScheduleView::told);
  QTest::mouseClick(&view, Qt::LeftButton, {}, middle_of(0));
  ASSERT_EQ(view.chosen(), 0U);
  QTest::keyClick(&view, Qt::Key_Right);
  ASSERT_EQ(view.chosen(), 1U);
  EXPECT_EQ(utf8(told.back()[0].toString()),
            "F1 on stage 0; forward of microbatch 1, stage 0; start 1, length 1, end 2");
  QTest::keyClick(&view, Qt::Key_Down);
  EXPECT_EQ(view.picture().boxes[*view.chosen()].label, "F0");
  EXPECT_EQ(view.picture().boxes[*view.chosen()].rank, 1);
  QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(4, 4));
  EXPECT_EQ(view.chosen(), std::nullopt);
  EXPECT_TRUE(told.back()[0].toString().isEmpty());
}

TEST_F(ScheduleViewTest, KeysZoomAroundTheMiddleAndHomeShowsAll) {
  QSignalSpy wanted(&view, &ScheduleView::span_wanted);
  QTest::keyClick(&view, Qt::Key_Plus);
  ASSERT_EQ(wanted.count(), 1);
  const double from = wanted[0][0].toDouble(), to = wanted[0][1].toDouble();
  EXPECT_NEAR(from + to, view.picture().makespan, 1e-9);
  EXPECT_NEAR(to - from, view.picture().makespan / 1.25, 1e-9);
  view.set_span(from, to);
  EXPECT_NEAR(view.geometry_now().from, from, 1e-9);
  QTest::keyClick(&view, Qt::Key_Home);
  EXPECT_EQ(wanted.back()[0].toDouble(), wanted.back()[1].toDouble());
}

TEST_F(ScheduleViewTest, AnotherPictureForgetsTheChosenBoxTheSameDoesNot) {
  QTest::mouseClick(&view, Qt::LeftButton, {}, middle_of(2));
  view.set_picture(one_forward_one_backward());
  EXPECT_EQ(view.chosen(), 2U);
  view.set_picture(picture_of(schedule_named("gpipe")));
  EXPECT_EQ(view.chosen(), std::nullopt);
}

TEST(ScheduleViewLarge, AThousandRanksAndMicrobatchesArePaintedWithoutDelay) {
  ScheduleView view;
  view.set_picture(picture_of(schedule::generate("1f1b", {64, 512, 1, 1})));
  view.resize(1000, view.sizeHint().height());
  EXPECT_LT(view.height(), 900);
  const QImage image = view.grab().toImage();
  const ScheduleGeometry at = view.geometry_now();
  const PixelRect last = at.rect_of(view.picture().boxes.back());
  EXPECT_NE(image.pixelColor(static_cast<int>(last.x), static_cast<int>(last.y + last.height / 2)),
            image.pixelColor(2, 2))
      << "a box is at least a pixel";
}

}  // namespace
}  // namespace lockstep::gui
