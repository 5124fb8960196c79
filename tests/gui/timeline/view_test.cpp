#include "gui/widgets/timeline_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QHelpEvent>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

#include "gui/widgets/theme.h"
#include "gui/widgets/timeline_paint.h"
#include "tests/gui/timeline/recorded_store.h"

namespace lockstep::gui {
namespace {

using activity::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using timeline::Range;

/// Two ranks of ten steps, each 1 ms: 600 us of "compute", then 300 us of "wait", from 0 on.
std::shared_ptr<timeline::Launch> regular() {
  auto out = std::make_shared<timeline::Launch>();
  for (int32_t rank = 0; rank < 2; ++rank) {
    activity::Trace trace;
    trace.names = {"compute", "wait"}, trace.tracks = {{rank, "main"}, {rank, "communication"}};
    for (int32_t step = 0; step < 10; ++step) {
      const int64_t at = step * 1'000'000;
      trace.activities.push_back({at, at + 600'000, 0, 0, Kind::compute, step});
      trace.activities.push_back({at + 600'000, at + 900'000, 1, 0, Kind::wait, step});
      const auto message = static_cast<uint32_t>(trace.activities.size());
      trace.activities.push_back({at + 500'000, at + 800'000, 1, 1, Kind::communication, step, -1, 4096});
      trace.transfers.push_back({activity::Transfer::send, message, 1 - rank, 3, 4096});
      trace.transfers.push_back({activity::Transfer::recv, message, 1 - rank, 3, 4096});
    }
    append(out->timeline.columns, timeline::columns_of(trace));
  }
  out->timeline.zoom = timeline::ZoomTable(out->timeline.columns);
  out->timeline.partners = timeline::partners_of(out->timeline.columns);
  out->steps = timeline::steps_of(out->timeline.columns);
  return out;
}

struct TimelineViewTest : ::testing::Test {
  TimelineViewTest() {
    view.resize(900, 400);
    view.set_launch(regular());
    view.show();
    view.setFocus();
    QTest::qWait(20);
  }

  std::string name_of(uint32_t activity) const {
    const timeline::Columns& columns = launch->timeline.columns;
    return columns.names[columns.name[activity]];
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(&view, key, modifiers); }
  void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(&view, Qt::LeftButton, modifiers, from);
    const auto move = [&](const QPoint& at) {
      QMouseEvent event(QEvent::MouseMove, at, view.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, modifiers);
      QApplication::sendEvent(&view, &event);
    };
    move((from + to) / 2), move(to);
    QTest::mouseRelease(&view, Qt::LeftButton, modifiers, to);
  }

  TimelineView view;
  std::shared_ptr<timeline::Launch> launch = regular();
};

// Lines: 0 rank 0, 1 main, 2 communication, 3 rank 1, 4 main, 5 communication.

TEST_F(TimelineViewTest, PaintsAnActivityInItsKindsColourWhereGeometrySays) {
  view.set_range({2'000'000, 3'000'000});
  const QImage image = view.grab().toImage();
  EXPECT_EQ(image.pixelColor(view.pixel_of(2'450'000, 1)).rgb(), look_of(Kind::compute).fill.rgb());
  EXPECT_EQ(image.pixelColor(view.pixel_of(2'950'000, 1)).rgb(), background_color().rgb()) << "idle";
}

TEST_F(TimelineViewTest, FarAwayARowThatIsBusyInPartIsPaler) {
  auto dense = std::make_shared<timeline::Launch>();
  activity::Trace trace;
  trace.names = {"op"}, trace.tracks = {{0, "main"}};
  for (int64_t i = 0; i < 200'000; ++i) {
    const int64_t length = i < 100'000 ? 90 : 10;
    trace.activities.push_back({i * 100, i * 100 + length, 0, 0, Kind::compute});
  }
  dense->timeline.columns = timeline::columns_of(trace);
  dense->timeline.zoom = timeline::ZoomTable(dense->timeline.columns);
  view.set_launch(dense);
  const QImage image = view.grab().toImage();
  const int busy = image.pixelColor(view.pixel_of(5e6, 1)).lightness();
  const int idle = image.pixelColor(view.pixel_of(15e6, 1)).lightness();
  EXPECT_GT(idle, busy + 30);
  EXPECT_LT(idle, background_color().lightness()) << "any event shows";
}

TEST_F(TimelineViewTest, WheelZoomsAtTheCursorAndShiftWheelPans) {
  QSignalSpy wanted(&view, &TimelineView::range_wanted);
  const QPoint at = view.pixel_of(2'500'000, 1);
  const auto wheel = [&](int notches, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(at, view.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, modifiers, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(&view, &event);
  };
  wheel(5, {});
  EXPECT_EQ(wanted.count(), 1);
  EXPECT_NEAR(view.range().length(), view.whole().length() * std::pow(0.8, 5), 1);
  EXPECT_NEAR(view.pixel_of(2'500'000, 1).x(), at.x(), 2) << "what is under the cursor stays";
  const double begin = view.range().begin_ns;
  wheel(-1, Qt::ShiftModifier);
  EXPECT_NEAR(view.range().begin_ns, begin + view.range().length() / 8, 1);
}

TEST_F(TimelineViewTest, DragPansAndAClickOnlySelects) {
  view.set_range({4'000'000, 6'000'000});
  const QPoint from = view.pixel_of(5'000'000, 1);
  drag(from, from + QPoint(-100, 0));
  EXPECT_NEAR(view.pixel_of(5'000'000, 1).x(), from.x() - 100, 1);
  EXPECT_FALSE(view.selected());
  view.set_range({4'000'000, 6'000'000});
  QTest::mouseClick(&view, Qt::LeftButton, {}, view.pixel_of(4'700'000, 1));
  ASSERT_TRUE(view.selected());
  EXPECT_EQ(name_of(*view.selected()), "wait");
  EXPECT_THAT(view.accessibleDescription().toStdString(), HasSubstr("lasts 300 µs"));
  EXPECT_EQ(view.range(), (Range{4'000'000, 6'000'000}));
  QTest::mouseClick(&view, Qt::LeftButton, {}, view.pixel_of(4'950'000, 1));
  EXPECT_FALSE(view.selected()) << "nothing is there";
}

TEST_F(TimelineViewTest, ShiftDragChoosesAnAreaOfTheRowsBetween) {
  QSignalSpy wanted(&view, &TimelineView::area_wanted);
  drag(view.pixel_of(2'000'000, 1), view.pixel_of(4'000'000, 4), Qt::ShiftModifier);
  ASSERT_EQ(wanted.count(), 1) << "told once, at the end";
  ASSERT_TRUE(view.area());
  EXPECT_NEAR(view.area()->time.begin_ns, 2e6, 2e4);
  EXPECT_NEAR(view.area()->time.end_ns, 4e6, 2e4);
  EXPECT_THAT(view.area()->tracks, ElementsAre(0u, 1u, 2u));
  key(Qt::Key_Escape);
  EXPECT_FALSE(view.area());
  EXPECT_EQ(wanted.count(), 2);
}

TEST_F(TimelineViewTest, KeysPanZoomFocusAndGoHome) {
  view.set_range({4'000'000, 5'000'000});
  key(Qt::Key_D);
  EXPECT_NEAR(view.range().begin_ns, 4'100'000, 1);
  key(Qt::Key_Left);
  EXPECT_NEAR(view.range().begin_ns, 4'000'000, 1);
  key(Qt::Key_W);
  EXPECT_NEAR(view.range().length(), 800'000, 1);
  key(Qt::Key_S);
  EXPECT_NEAR(view.range().length(), 1'000'000, 1);
  key(Qt::Key_Home);
  EXPECT_EQ(view.range(), view.whole());
}

TEST_F(TimelineViewTest, ByKeyboardAloneAnActivityIsFoundAndItsNeighboursToo) {
  view.set_range({4'000'000, 5'000'000});
  key(Qt::Key_Down), key(Qt::Key_Down);
  EXPECT_EQ(view.focused_line(), 1);
  key(Qt::Key_Return);
  ASSERT_TRUE(view.selected());
  const uint32_t first = *view.selected();
  EXPECT_EQ(name_of(first), "compute");
  key(Qt::Key_N);
  EXPECT_EQ(*view.selected(), first + 2) << "the next one of its name";
  EXPECT_GT(view.range().end_ns, 5'600'000) << "it came into sight";
  key(Qt::Key_P);
  EXPECT_EQ(*view.selected(), first);
  key(Qt::Key_Period);
  EXPECT_EQ(name_of(*view.selected()), "wait");
  key(Qt::Key_Comma);
  EXPECT_EQ(*view.selected(), first);
  key(Qt::Key_F);
  EXPECT_NEAR(view.range().length(), 720'000, 1);
  key(Qt::Key_Escape);
  EXPECT_FALSE(view.selected());
}

TEST_F(TimelineViewTest, ByKeyboardAloneTheOtherEndOfAMessageIsFoundAndScrolledTo) {
  view.resize(900, 140);  // one rank is out of sight
  view.set_range({4'000'000, 5'000'000});
  key(Qt::Key_Down), key(Qt::Key_Down), key(Qt::Key_Down), key(Qt::Key_Return);
  ASSERT_TRUE(view.selected());
  const timeline::Columns& columns = launch->timeline.columns;
  const auto rank_of = [&](uint32_t i) { return columns.track_of_row(columns.row_of(i)).rank; };
  const uint32_t sender = *view.selected();
  EXPECT_EQ(rank_of(sender), 0);
  key(Qt::Key_M);
  EXPECT_EQ(rank_of(*view.selected()), 1);
  EXPECT_EQ(columns.step[*view.selected()], columns.step[sender]);
  EXPECT_GT(view.findChild<QScrollBar*>()->value(), 0);
  key(Qt::Key_M);
  EXPECT_EQ(*view.selected(), sender);
}

TEST_F(TimelineViewTest, TheSelectedMessagesArrowsArePainted) {
  const QPoint message = view.pixel_of(4'600'000, 2);
  QTest::mouseClick(&view, Qt::LeftButton, {}, message);
  ASSERT_TRUE(view.selected());
  const QImage with = view.grab().toImage();
  view.select(std::nullopt);
  const QImage without = view.grab().toImage();
  // Between the ranks: on the head of rank 1, below which the arrow ends.
  const QPoint head = view.pixel_of(4'650'000, 3);
  int differs = 0;
  for (int x = head.x() - 30; x <= head.x() + 30; ++x) differs += with.pixel(x, head.y()) != without.pixel(x, head.y());
  EXPECT_GT(differs, 0);
}

TEST_F(TimelineViewTest, ByKeyboardAloneAnAreaIsChosenAndShown) {
  view.set_range({4'000'000, 6'000'000});
  key(Qt::Key_Down), key(Qt::Key_Down);
  for (int i = 0; i < 4; ++i) key(Qt::Key_Right, Qt::ShiftModifier);
  key(Qt::Key_Down, Qt::ShiftModifier);
  ASSERT_TRUE(view.area());
  EXPECT_NEAR(view.area()->time.begin_ns, 5'000'000, 1);
  EXPECT_NEAR(view.area()->time.end_ns, 5'400'000, 1);
  EXPECT_THAT(view.area()->tracks, ElementsAre(0u, 1u));
  key(Qt::Key_Left, Qt::ShiftModifier);
  EXPECT_NEAR(view.area()->time.end_ns, 5'300'000, 1);
  key(Qt::Key_F);
  EXPECT_NEAR(view.range().length(), 360'000, 1);
}

TEST_F(TimelineViewTest, ItsKeysAreNotTakenByTheMenus) {
  QKeyEvent focus(QEvent::ShortcutOverride, Qt::Key_F, Qt::NoModifier);
  focus.ignore();
  QApplication::sendEvent(&view, &focus);
  EXPECT_TRUE(focus.isAccepted());
  QKeyEvent find(QEvent::ShortcutOverride, Qt::Key_F, Qt::ControlModifier);
  find.ignore();
  QApplication::sendEvent(&view, &find);
  EXPECT_FALSE(find.isAccepted());
  QKeyEvent escape(QEvent::ShortcutOverride, Qt::Key_Escape, Qt::NoModifier);
  escape.ignore();
  QApplication::sendEvent(&view, &escape);
  EXPECT_FALSE(escape.isAccepted()) << "there is nothing to forget";
}

TEST_F(TimelineViewTest, AClickOnARanksNameCollapsesIt) {
  QSignalSpy wanted(&view, &TimelineView::collapse_wanted);
  QTest::mouseClick(&view, Qt::LeftButton, {}, {20, view.pixel_of(0, 3).y()});
  ASSERT_EQ(wanted.count(), 1);
  EXPECT_EQ(wanted[0][0].toInt(), 1);
  key(Qt::Key_C);
  EXPECT_EQ(wanted.count(), 2);
}

TEST_F(TimelineViewTest, AClickOnTheStripMovesThere) {
  view.set_range({0, 1'000'000});
  const double x = view.pixel_of(0, 1).x();
  const double width = 2 * (view.pixel_of(500'000, 1).x() - x);
  QTest::mouseClick(&view, Qt::LeftButton, {}, QPoint(static_cast<int>(x + width * 0.5), 10));
  EXPECT_NEAR((view.range().begin_ns + view.range().end_ns) / 2, view.whole().length() / 2, 2e4);
}

TEST_F(TimelineViewTest, HoveringTellsExactNumbers) {
  view.set_range({4'000'000, 5'000'000});
  QTest::mouseMove(&view, view.pixel_of(4'600'000, 2));
  QTest::qWait(20);
  EXPECT_THAT(
      QToolTip::text().toStdString(),
      AllOf(HasSubstr("wait (communication)"), HasSubstr("rank 0, communication"), HasSubstr("begins at 4.5 ms"),
            HasSubstr("lasts 300 µs"), HasSubstr("step 4"), HasSubstr("4096 bytes")));
}

TEST_F(TimelineViewTest, IsReadableInBothThemes) {
  for (const Theme theme : {Theme::dark, Theme::light}) {
    use_theme(*qApp, theme);
    for (int kind = 0; kind < 9; ++kind) {
      const KindLook look = look_of(static_cast<Kind>(kind));
      const auto channel = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
      const auto luminance = [&](const QColor& c) {
        return 0.2126 * channel(c.redF()) + 0.7152 * channel(c.greenF()) + 0.0722 * channel(c.blueF());
      };
      const double a = luminance(look.fill), b = luminance(look.text);
      EXPECT_GE((std::max(a, b) + 0.05) / (std::min(a, b) + 0.05), 4.5) << kind;
    }
  }
}

}  // namespace
}  // namespace lockstep::gui
