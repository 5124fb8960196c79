// A campaign that goes on while somebody looks at it: numbers change, and what is looked at stays where it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QComboBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>

#include "gui/core/text.h"
#include "gui/widgets/campaign_bar.h"
#include "gui/widgets/chart_view.h"
#include "gui/widgets/page_table.h"
#include "gui/widgets/table_view.h"
#include "tests/gui/fixture.h"
#include "tests/results/campaign_fixture.h"

namespace lockstep::gui {
namespace {

constexpr int kLiveMs = 10'000;

struct Live : snapshot::testing::Campaign {
  Live() {
    for (int i = 0; i < 3; ++i) add(i, "serial"), add(i, "dp2");
  }
  void add(int block, const std::string& strategy, const std::string& workload = "a:tiny") {
    store::CellRow cell = store::testing::cell(workload, "reference", strategy);
    finished(cell, block, 2.0 + 0.01 * block);
  }
};

/// Looks into the store until `seen`.
template <class Seen>
bool follow(Loader& loader, Seen seen) {
  return QTest::qWaitFor(
      [&] {
        loader.look();
        return seen();
      },
      kLiveMs);
}

/// Where a widget is painted in its window.
QRect place(const QWidget& widget) { return {widget.mapTo(widget.window(), QPoint(0, 0)), widget.size()}; }

size_t rows_of(const fixture::Shown& shown) {
  size_t out = 0;
  for (const report::Table& table : shown.page->tables()) out += table.rows.size();
  return out;
}

TEST(LiveView, TheOverviewChangesInPlace) {
  Live live;
  live.add(0, "serial", "b:tiny");
  fixture::Shown shown("overview", live.folder.file(), {}, {900, 400});
  shown.loader.look();
  QTest::qWait(100);
  auto* bar = shown.page->findChild<QScrollArea*>()->verticalScrollBar();
  const QList<ChartView*> charts = shown.page->findChildren<ChartView*>();
  ASSERT_GE(charts.size(), 4);
  ChartView* looked_at = charts[charts.size() - 1];
  bar->setValue(looked_at->mapTo(shown.page->findChild<QScrollArea*>()->widget(), QPoint(0, 0)).y());
  ASSERT_GT(bar->value(), 0);
  QTest::keyClick(looked_at, Qt::Key_Plus);
  const double zoomed = looked_at->pixel_of(1, 1).x() - looked_at->pixel_of(0, 1).x();
  const QRect before = place(*looked_at);
  const size_t rows = rows_of(shown);
  live.add(0, "dp4"), live.add(1, "dp4");  // a third cell above what is looked at: more sentences, a higher table
  ASSERT_TRUE(follow(shown.loader, [&] { return rows_of(shown) > rows + 1 && shown.page->ready(); }));
  QTest::qWait(50);
  EXPECT_THAT(shown.page->findChildren<ChartView*>(), testing::Contains(looked_at)) << "it is not made anew";
  EXPECT_EQ(place(*looked_at).top(), before.top());
  EXPECT_NEAR(looked_at->pixel_of(1, 1).x() - looked_at->pixel_of(0, 1).x(), zoomed, 1e-6);
}

TEST(LiveView, ATableKeepsItsChoicesAndItsPlace) {
  Live live;
  for (int i = 3; i < 40; ++i) live.add(i, "serial");
  fixture::Shown shown("launches", live.folder.file(), {}, {900, 300});
  shown.loader.look();
  auto* table = shown.page->findChild<TableView*>();
  table->sortByColumn(0, Qt::DescendingOrder);  // new launches come in above
  table->setCurrentIndex(table->model()->index(20, 0));
  table->selectionModel()->select(QItemSelection(table->model()->index(20, 0), table->model()->index(22, 0)),
                                  QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  const QString current = table->currentIndex().data(TableModel::kKey).toString();
  const QRect before = table->visualRect(table->currentIndex());
  ASSERT_TRUE(table->viewport()->rect().intersects(before));
  const int rows = table->model()->rowCount();
  live.add(40, "serial"), live.add(41, "serial");
  ASSERT_TRUE(follow(shown.loader, [&] { return table->model()->rowCount() == rows + 2; }));
  EXPECT_EQ(table->currentIndex().data(TableModel::kKey).toString(), current);
  EXPECT_EQ(table->selectionModel()->selectedRows().size(), 3);
  EXPECT_EQ(table->visualRect(table->currentIndex()).top(), before.top());
}

TEST(LiveView, TheListOfCampaignsGrowsWhileItIsOpen) {
  Live live;
  Session session;
  Loader loader(live.folder.file());
  CampaignBar bar(session, loader);
  bar.show();
  auto* box = bar.findChild<QComboBox*>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return box->count() == 2; }, kLiveMs));
  loader.look();
  QTest::qWait(50);
  box->showPopup();
  ASSERT_TRUE(box->view()->isVisible());
  live.store.begin_campaign({});
  ASSERT_TRUE(follow(loader, [&] { return box->count() == 3; }));
  EXPECT_TRUE(box->view()->isVisible());
  EXPECT_EQ(box->itemData(1).toString(), "@2");
  EXPECT_EQ(box->itemData(2).toString(), "@1");
  box->hidePopup();
}

}  // namespace
}  // namespace lockstep::gui
