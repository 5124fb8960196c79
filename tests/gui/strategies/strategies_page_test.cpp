#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTest>
#include <QTextBrowser>

#include "gui/core/text.h"
#include "gui/widgets/schedule_view.h"
#include "gui/widgets/table_view.h"
#include "tests/gui/fixture.h"
#include "tests/gui/strategies/strategies_fixture.h"

namespace lockstep::gui {
namespace {

using ::testing::HasSubstr;
using namespace testing;

class StrategiesPageTest : public ::testing::Test {
 protected:
  void open(const std::string& store) {
    shown = std::make_unique<fixture::Shown>("strategies", store, strategies_view(), QSize(1280, 900));
    settle();
  }
  void open() { open(campaign.store.path()); }
  void settle() {
    ASSERT_TRUE(shown->wait());
    QTest::qWait(10);
  }
  TableView* table(const char* name) {
    for (TableView* one : page().findChildren<TableView*>()) {
      if (one->accessibleName().startsWith(name)) return one;
    }
    ADD_FAILURE() << "no table " << name;
    return nullptr;
  }
  void click(TableView* view, const std::string& key) {
    const QModelIndex index = view->shown().index(view->shown().row_of(key), 0);
    ASSERT_TRUE(index.isValid()) << key;
    view->scrollTo(index);
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(index).center());
    settle();
  }
  void type(const char* strategy) {
    auto* edit = page().findChild<QLineEdit*>();
    edit->setFocus();
    edit->selectAll();
    QTest::keyClick(edit, Qt::Key_Delete);
    QTest::keyClicks(edit, strategy);
    QTest::keyClick(edit, Qt::Key_Return);
    settle();
  }
  ScheduleView* schedule() { return page().findChild<ScheduleView*>(); }
  std::string labels() {
    std::string out;
    for (const QLabel* label : page().findChildren<QLabel*>()) {
      if (label->isVisible()) out += utf8(label->text()) + "\n";
    }
    return out;
  }

  Page& page() { return *shown->page; }
  Session& session() { return shown->session; }
  const ViewState& view() { return session().view(); }

  snapshot::testing::Campaign campaign;
  std::unique_ptr<fixture::Shown> shown;
};

TEST_F(StrategiesPageTest, ATermShowsItsDetailsItsCellsAndItsSchedule) {
  fill(campaign, true);
  open();
  click(table("Terms of strategies"), "/1f1b");
  EXPECT_EQ(view().option("strategies.term", ""), "/1f1b");
  EXPECT_THAT(utf8(page().findChild<QTextBrowser*>()->toPlainText()), HasSubstr("one forward, one backward"));
  EXPECT_EQ(table("Cells with /1f1b")->shown().rowCount(), 1);
  EXPECT_EQ(schedule()->picture().title, "1f1b: pipeline of 2 ranks, 4 microbatches");
  EXPECT_GT(table("Sent per rank and step")->shown().rowCount(), 0);
  EXPECT_EQ(table("Planned peak memory")->shown().rowCount(), 2);
  session().undo();
  settle();
  EXPECT_EQ(view().option("strategies.term", ""), "");
}

TEST_F(StrategiesPageTest, ArrowKeysInTheTableAreOneStepOfUndo) {
  fill(campaign, true);
  open();
  click(table("Terms of strategies"), "/naive");
  for (int i = 0; i < 3; ++i) {
    QTest::keyClick(table("Terms of strategies"), Qt::Key_Down);
    settle();
  }
  EXPECT_EQ(view().option("strategies.term", ""), "/interleaved");
  EXPECT_EQ(schedule()->picture().title, "interleaved: pipeline of 4 ranks, 8 microbatches");
  session().undo();
  EXPECT_EQ(view().option("strategies.term", ""), "");
}

TEST_F(StrategiesPageTest, ACellOfATermIsBrushedEverywhereAndShown) {
  fill(campaign, true);
  open();
  click(table("Terms of strategies"), "dp");
  click(table("Cells with dp"), kWorkload + " pytorch dp2 on gloo");
  EXPECT_EQ(view().cell, kWorkload + " pytorch dp2 on gloo");
  EXPECT_EQ(page().findChild<QLineEdit*>()->text(), "dp2");
  EXPECT_THAT(labels(), HasSubstr("dp2 has no pipeline axis"));
  EXPECT_FALSE(schedule()->isVisible());
}

TEST_F(StrategiesPageTest, EnterOnATermOpensItsLaunches) {
  fill(campaign, true);
  open();
  click(table("Terms of strategies"), "/zero1");
  QTest::keyClick(table("Terms of strategies"), Qt::Key_Return);
  EXPECT_EQ(view().page, "launches");
  EXPECT_EQ(view().filter, "strategy:/zero1");
}

TEST_F(StrategiesPageTest, ATypedStrategyIsShownOrRefusedInWords) {
  fill(campaign, true);
  open();
  type("pp4/gpipe:m=4");
  EXPECT_EQ(schedule()->picture().title, "gpipe: pipeline of 4 ranks, 4 microbatches");
  EXPECT_EQ(view().option("strategies.strategy", ""), "pp4/gpipe:m=4");
  type("pp4/gpipe:m=4,n=3");
  EXPECT_THAT(labels(), HasSubstr("gpipe does not take n=3; it takes m=1..65536"));
  EXPECT_FALSE(schedule()->isVisible());
  EXPECT_EQ(page().findChild<QLineEdit*>()->text(), "pp4/gpipe:m=4,n=3") << "what was typed stays to be mended";
  type("");
  EXPECT_EQ(view().options.count("strategies.strategy"), 0U);
  EXPECT_EQ(page().findChild<QLineEdit*>()->text(), "pp2.dp2/1f1b:m=4/zero1") << "of the campaign's first pipeline";
}

TEST_F(StrategiesPageTest, AZoomOfTheScheduleIsPartOfTheView) {
  fill(campaign, true);
  open();
  QTest::keyClick(schedule(), Qt::Key_Plus);
  ASSERT_EQ(view().zooms.count("strategies.schedule"), 1U);
  EXPECT_EQ(schedule()->geometry_now().from, view().zooms.at("strategies.schedule").first);
  QTest::keyClick(schedule(), Qt::Key_Home);
  EXPECT_TRUE(view().zooms.empty());
  EXPECT_EQ(schedule()->geometry_now().from, 0);
}

TEST_F(StrategiesPageTest, TablesToExportAreThoseOnThePage) {
  fill(campaign, true);
  open();
  const std::vector<report::Table> tables = page().tables();
  ASSERT_EQ(tables.size(), 4U) << "terms, schedule, sent, memory";
  EXPECT_EQ(tables[0].title, "Terms of strategies on " + kWorkload);
  EXPECT_EQ(tables[1].rows.size(), schedule()->picture().boxes.size());
}

TEST_F(StrategiesPageTest, NewLaunchesChangeNumbersAndMoveNothing) {
  fill(campaign, true);
  open();
  click(table("Terms of strategies"), "/1f1b");
  QScrollBar* bar = table("Terms of strategies")->verticalScrollBar();
  bar->setValue(bar->maximum());  // away from the chosen row
  const int down = bar->value(), width = 321;
  ASSERT_GT(down, 0);
  table("Terms of strategies")->setColumnWidth(1, width);
  shown->loader.look();
  campaign.finished(planned_cell("reference", "dp2", "threads", 2), 7, 3);
  shown->loader.look();
  QTest::qWait(200);
  settle();
  EXPECT_EQ(bar->value(), down);
  EXPECT_EQ(table("Terms of strategies")->columnWidth(1), width);
  EXPECT_EQ(view().option("strategies.term", ""), "/1f1b");
  QTest::keyClick(schedule(), Qt::Key_Plus);
  QTest::qWait(20);
  EXPECT_EQ(bar->value(), down) << "a zoom of the schedule moves no table";
}

TEST_F(StrategiesPageTest, AnEmptyStoreIsSaidInWords) {
  store::Store::open(campaign.folder.file("empty.db"), store::OpenMode::create);
  open(campaign.folder.file("empty.db"));
  EXPECT_THAT(utf8(page().words()), HasSubstr("no campaign yet"));
  EXPECT_THAT(labels(), HasSubstr("no workload yet"));
  EXPECT_TRUE(schedule()->isVisible());
  click(table("Terms of strategies"), "/zb_h1");
  EXPECT_EQ(schedule()->picture().title, "zb_h1: pipeline of 4 ranks, 8 microbatches");
}

TEST_F(StrategiesPageTest, AStoreWithFailedLaunchesOnlyIsShown) {
  store::LaunchRecord record = campaign.record(planned_cell("reference", "dp2", "threads", 2), 0, 5);
  record.launch.status = store::LaunchStatus::failed, record.launch.error_kind = "out_of_memory";
  record.series.clear();
  campaign.store.import_launch(record);
  open();
  click(table("Terms of strategies"), "dp");
  EXPECT_EQ(table("Cells with dp")->shown().rowCount(), 1);
  EXPECT_EQ(utf8(page().words()), "");
}

}  // namespace
}  // namespace lockstep::gui
