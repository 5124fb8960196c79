#include "gui/widgets/pages/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QTest>
#include <QToolButton>

#include "gui/widgets/main_window.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/timeline_view.h"
#include "tests/gui/timeline/recorded_store.h"

namespace lockstep::gui {
namespace {

using ::testing::HasSubstr;
using timeline::testing::RecordedStore;

struct Opened {
  Session session;
  Loader loader;
  TimelinePage page;

  explicit Opened(const std::string& store, const ViewState& view = {}) : loader(store), page(session, loader) {
    session.replace(view);
    page.resize(1280, 720);
    page.show();
    EXPECT_TRUE(wait());
  }
  bool wait() {
    return QTest::qWaitFor([this] { return page.ready(); }, 20'000);
  }
  TimelineView& view(int which = 0) {
    return named<TimelineView>(which == 0 ? "Timeline" : "Timeline of the second launch");
  }
  template <class Widget>
  Widget& named(const QString& name) {
    for (Widget* widget : page.findChildren<Widget*>()) {
      if (widget->accessibleName() == name) return *widget;
    }
    throw std::runtime_error("no widget is called " + name.toStdString());
  }
  std::string all_text() {
    std::string out;
    for (const QLabel* label : page.findChildren<QLabel*>()) {
      if (label->isVisibleTo(&page)) out += label->text().toStdString() + "\n";
    }
    return out;
  }
};

ViewState view_of(const std::string& launch) {
  ViewState out;
  out.launch = launch;
  return out;
}

std::map<std::string, double> totals_in(const report::Table& table) {
  std::map<std::string, double> out;
  for (const report::Row& row : table.rows) out[row.cell] = row.values[3].estimate.value;
  return out;
}

TEST(TimelinePage, AnEmptyStoreAndOneWithoutARecordingAreSaidInWords) {
  store::testing::Folder folder;
  store::Store::open(folder.file(), store::OpenMode::create);
  Opened empty(folder.file());
  EXPECT_THAT(empty.page.words().toStdString(), HasSubstr("no campaign yet"));
  EXPECT_TRUE(empty.page.tables().empty());

  snapshot::testing::Campaign timed;
  timed.finished(store::testing::cell("mlp:tiny", "reference", "serial"), 0, 2.0);
  Opened none(timed.folder.file());
  EXPECT_THAT(none.page.words().toStdString(), HasSubstr("lockstep run"));
  EXPECT_THAT(none.page.words().toStdString(), HasSubstr("--profile"));
  EXPECT_FALSE(none.view().isVisible());
}

TEST(TimelinePage, DroppedRecordsStandOnThePage) {
  RecordedStore recorded(17);
  Opened opened(recorded.file());
  EXPECT_THAT(opened.all_text(), HasSubstr("17 records did not fit and were dropped"));
}

TEST(TimelinePage, HidingRowsChangesNoNumber) {
  RecordedStore recorded;
  Opened opened(recorded.file(), view_of("@1.3"));
  const auto all = totals_in(opened.page.tables()[0]);
  ASSERT_FALSE(all.empty());
  const size_t lines = opened.view().layout_of_lines().lines.size();
  QTest::keyClicks(&opened.named<QLineEdit>("Row filter"), "rank=1 -origin:planned");
  ASSERT_TRUE(opened.wait());
  EXPECT_LT(opened.view().layout_of_lines().lines.size(), lines);
  opened.session.change([](ViewState& view) { view.options["timeline.collapsed"] = "1"; });
  ASSERT_TRUE(opened.wait());
  EXPECT_EQ(opened.view().layout_of_lines().lines.size(), 1u);
  EXPECT_EQ(totals_in(opened.page.tables()[0]), all);
}

TEST(TimelinePage, AWrongRowFilterIsSaidAndHidesNothing) {
  RecordedStore recorded;
  Opened opened(recorded.file());
  const size_t lines = opened.view().layout_of_lines().lines.size();
  opened.named<QLineEdit>("Row filter").setText("colour:red");
  ASSERT_TRUE(opened.wait());
  EXPECT_THAT(opened.all_text(), HasSubstr("Row filter: "));
  EXPECT_EQ(opened.view().layout_of_lines().lines.size(), lines);
}

TEST(TimelinePage, TheTableAddsUpAnAreaAndUndoTakesItBack) {
  RecordedStore recorded;
  Opened opened(recorded.file());
  const report::Table all = opened.page.tables()[0];
  TimelineView& view = opened.view();
  view.setFocus();
  QTest::keyClick(&view, Qt::Key_Down);
  QTest::keyClick(&view, Qt::Key_Down);
  QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
  ASSERT_TRUE(opened.wait());
  ASSERT_TRUE(view.area());
  const report::Table some = opened.page.tables()[0];
  EXPECT_NE(some.title, all.title);
  const auto expected =
      timeline::totals_table(timeline::load(recorded.campaign.store, {}).first->timeline.columns, *view.area());
  EXPECT_EQ(totals_in(some), totals_in(expected));
  opened.session.undo();
  ASSERT_TRUE(opened.wait());
  EXPECT_FALSE(view.area());
  EXPECT_EQ(totals_in(opened.page.tables()[0]), totals_in(all));
}

TEST(TimelinePage, ZoomIsInTheViewSurvivesReopeningAndIsUndoneAsOne) {
  RecordedStore recorded;
  ViewState saved;
  timeline::Range zoomed;
  {
    Opened opened(recorded.file());
    const timeline::Range opening = opened.view().range();
    opened.view().setFocus();
    for (int i = 0; i < 5; ++i) QTest::keyClick(&opened.view(), Qt::Key_W);
    zoomed = opened.view().range();
    EXPECT_LT(zoomed.length(), 0.5 * opening.length());
    saved = read_view(to_json(opened.session.view()), "saved");
    opened.session.undo();
    EXPECT_EQ(opened.view().range(), opening);
  }
  Opened again(recorded.file(), saved);
  EXPECT_NEAR(again.view().range().begin_ns, zoomed.begin_ns, 1e-3);
  EXPECT_NEAR(again.view().range().end_ns, zoomed.end_ns, 1e-3);
  again.session.change([](ViewState& view) { view.launch = "@1.3"; });
  ASSERT_TRUE(again.wait());
  EXPECT_GT(again.view().range().length(), zoomed.length()) << "a zoom is of its launch";
}

TEST(TimelinePage, ASecondLaunchBringsTheDifferenceAndTheSameStepsBelow) {
  RecordedStore recorded;
  Opened opened(recorded.file());
  EXPECT_EQ(opened.page.tables().size(), 1u);
  QComboBox& other = opened.named<QComboBox>("Launch to compare with");
  other.setCurrentIndex(other.findData("@1.3"));
  Q_EMIT other.activated(other.currentIndex());
  ASSERT_TRUE(opened.wait());
  EXPECT_TRUE(opened.view(1).isVisible());
  ASSERT_EQ(opened.page.tables().size(), 2u);
  const report::Table difference = opened.page.tables()[1];
  EXPECT_THAT(difference.title, HasSubstr("to B, @1.3 mlp:tiny reference dp2 on threads"));
  EXPECT_FALSE(difference.rows.empty());
  EXPECT_EQ(opened.view(0).pixel_of(0, 0).x() - opened.view(0).pixel_of(opened.view(0).range().begin_ns, 0).x(),
            opened.view(0).pixel_of(0, 0).x() - opened.view(1).pixel_of(opened.view(1).range().begin_ns, 0).x())
      << "times are above each other";
  const double apart = opened.view(1).range().begin_ns - opened.view(0).range().begin_ns;
  opened.view(1).setFocus();
  QTest::keyClick(&opened.view(1), Qt::Key_W);
  EXPECT_NEAR(opened.view(1).range().begin_ns - opened.view(0).range().begin_ns, apart, 1);
  EXPECT_NEAR(opened.view(1).range().length(), opened.view(0).range().length(), 1);
}

TEST(TimelinePage, EnterOnARowOfTheTableShowsItsLongestActivity) {
  RecordedStore recorded;
  Opened opened(recorded.file());
  const report::Table table = opened.page.tables()[0];
  TableView& shown = opened.named<TableView>(QString::fromStdString(table.title));
  shown.setCurrentIndex(shown.model()->index(0, 0));
  QTest::keyClick(&shown, Qt::Key_Return);
  ASSERT_TRUE(opened.view().selected());
  const auto launch = timeline::load(recorded.campaign.store, {}).first;
  const timeline::Columns& columns = launch->timeline.columns;
  const uint32_t found = *opened.view().selected();
  for (uint32_t i = 0; i < columns.size(); ++i) {
    if (columns.name[i] != columns.name[found]) continue;
    EXPECT_LE(columns.length_ns(i), columns.length_ns(found));
  }
  EXPECT_EQ(columns.names[columns.name[found]], table.rows[0].values[0].text);
  EXPECT_GE(static_cast<double>(columns.begin_ns[found]), opened.view().range().begin_ns);
  EXPECT_LE(static_cast<double>(columns.end_ns[found]), opened.view().range().end_ns);
}

TEST(TimelinePage, AnAreaOnTheSecondLaunchIsOnTheFirstToo) {
  RecordedStore recorded;
  ViewState view;
  view.options[timeline::kOtherOption] = "@1.3";
  Opened opened(recorded.file(), view);
  TimelineView& second = opened.view(1);
  second.setFocus();
  for (int i = 0; i < 3; ++i) QTest::keyClick(&second, Qt::Key_Down);
  QTest::keyClick(&second, Qt::Key_Right, Qt::ShiftModifier);
  ASSERT_TRUE(opened.wait());
  ASSERT_TRUE(opened.view(0).area());
  ASSERT_TRUE(second.area());
  EXPECT_NEAR(second.area()->time.begin_ns - opened.view(0).area()->time.begin_ns,
              second.range().begin_ns - opened.view(0).range().begin_ns, 1);
  EXPECT_FALSE(opened.view(0).area()->tracks.empty());
}

TEST(TimelinePage, ASecondLaunchWithoutARecordingIsSaidAndTheFirstStays) {
  RecordedStore recorded;
  recorded.campaign.finished(store::testing::cell("mlp:tiny", "pytorch", "serial"), 0, 2.0);
  ViewState view;
  view.options[timeline::kOtherOption] = "@1.4";
  Opened opened(recorded.file(), view);
  EXPECT_THAT(opened.all_text(), HasSubstr("Launch @1.4 has no timeline."));
  EXPECT_TRUE(opened.view().isVisible());
  EXPECT_EQ(opened.page.tables().size(), 1u);
}

TEST(TimelinePage, AMissingFileIsSaidAndTheLaunchStaysChosenAndAnotherCanBe) {
  RecordedStore recorded;
  std::filesystem::remove(recorded.folder(2) / "trace.rank0.json");
  Opened opened(recorded.file(), view_of("@1.2"));
  EXPECT_THAT(opened.page.words().toStdString(), HasSubstr("trace.rank0.json"));
  QComboBox& launch = opened.named<QComboBox>("Launch");
  EXPECT_EQ(launch.currentData().toString(), "@1.2");
  EXPECT_EQ(launch.count(), 2);
  launch.setCurrentIndex(launch.findData("@1.3"));
  Q_EMIT launch.activated(launch.currentIndex());
  ASSERT_TRUE(opened.wait());
  EXPECT_EQ(opened.page.words(), "");
  EXPECT_TRUE(opened.view().isVisible());
}

TEST(TimelinePage, ARunningSuiteMovesNothing) {
  RecordedStore recorded;
  Opened opened(recorded.file());
  opened.view().setFocus();
  QTest::keyClick(&opened.view(), Qt::Key_W);
  QTest::keyClick(&opened.view(), Qt::Key_Down);
  QTest::keyClick(&opened.view(), Qt::Key_N);
  const timeline::Range range = opened.view().range();
  const auto selected = opened.view().selected();
  opened.loader.look();
  QTest::qWait(50);
  recorded.add(store::testing::cell("mlp:tiny", "reference", "dp4", "threads", 4), 4, 0);
  opened.loader.look();
  QComboBox& launches = opened.named<QComboBox>("Launch");
  EXPECT_TRUE(QTest::qWaitFor([&] { return launches.count() == 3; }, 10'000)) << "the new launch can be chosen";
  EXPECT_EQ(opened.view().range(), range);
  EXPECT_EQ(opened.view().selected(), selected);
}

/// Two large traces, which take a while to be imported.
TEST(TimelinePage, AnImportIsShownAndCanBeStoppedAndBegunAgain) {
  const RecordedStore store(0, 300'000);
  MainWindow window(store.file());
  window.session().replace(view_of("@1.3"));
  window.session().change([](ViewState& view) { view.page = "timeline"; });
  window.show();
  auto* bar = window.findChild<QProgressBar*>();
  QToolButton* stop = nullptr;
  for (QToolButton* button : window.findChildren<QToolButton*>()) {
    if (button->toolTip() == "Stop reading") stop = button;
  }
  ASSERT_TRUE(bar != nullptr && stop != nullptr);
  ASSERT_TRUE(QTest::qWaitFor([&] { return stop->isVisible(); }, 20'000));
  EXPECT_THAT(bar->format().toStdString(), HasSubstr("importing timeline"));
  QTest::mouseClick(stop, Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.page()->ready(); }, 20'000));
  EXPECT_THAT(window.page()->words().toStdString(), HasSubstr("stopped"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !stop->isVisible(); }, 20'000));
  window.page()->refresh();
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.page()->ready(); }, 60'000));
  EXPECT_EQ(window.page()->words(), "");
  EXPECT_FALSE(window.page()->tables().empty());
}

}  // namespace
}  // namespace lockstep::gui
