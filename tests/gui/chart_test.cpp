#include "gui/core/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "gui/widgets/chart_view.h"
#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::gui {
namespace {

report::Figure dots() {
  report::Figure out{"Throughput", report::Mark::dots, {"throughput", "ktokens/s", 1e3, true}, {"cell", "1"}, 2.0, {}};
  out.table.columns = {report::name_column("cell", "cell"), report::count_column("tokens_per_s", "throughput")};
  stats::Estimate estimate;
  estimate.value = 4000, estimate.low = 3500, estimate.high = 4600, estimate.level = 0.95, estimate.n = 6;
  out.table.rows = {{"a", {report::text_value("reference serial"), report::estimate_value(estimate, 1e3)}},
                    {"b", {report::text_value("pytorch serial"), report::missing_value("failed")}}};
  return out;
}

TEST(Chart, OfAFigureIsInUnitsOfItsAxis) {
  const Chart chart = chart_of(dots());
  EXPECT_THAT(chart.y.categories, testing::ElementsAre("reference serial", "pytorch serial"));
  ASSERT_EQ(chart.series.size(), 2u);
  ASSERT_EQ(chart.series[0].points.size(), 1u) << "a missing value is not drawn as zero";
  EXPECT_EQ(chart.series[0].points[0].x, 4);
  EXPECT_EQ(chart.series[0].points[0].low, 3.5);
  EXPECT_EQ(chart.series[0].points[0].high, 4.6);
  EXPECT_EQ(chart.series[1].draw, Draw::guide);
}

TEST(Chart, DecimationKeepsEveryPeak) {
  std::vector<ChartPoint> points(100'000);
  for (size_t i = 0; i < points.size(); ++i) {
    points[i].x = static_cast<double>(i), points[i].y = std::sin(static_cast<double>(i) / 50);
  }
  points[71'234].y = 17, points[31'234].y = -17;
  const std::vector<ChartPoint> few = decimate(points, 1000);
  EXPECT_LE(few.size(), 1000u);
  const auto peak = [&](double y) {
    return std::count_if(few.begin(), few.end(), [&](const auto& p) { return p.y == y; });
  };
  EXPECT_EQ(peak(17), 1);
  EXPECT_EQ(peak(-17), 1);
  EXPECT_TRUE(std::is_sorted(few.begin(), few.end(), [](const auto& a, const auto& b) { return a.x < b.x; }));
}

TEST(ChartView, PaintsADotWhereItsAxesSayAndAClickPicksIt) {
  ChartView view;
  view.resize(600, 300);
  Chart chart = chart_of(dots());
  chart.series[0].key = "the key";
  view.set_chart(chart);
  view.show();
  QTest::qWait(50);
  const QPoint at = view.pixel_of(4, 0).toPoint();
  const QImage image = view.grab().toImage();
  ASSERT_TRUE(image.rect().contains(at));
  EXPECT_GT(image.pixelColor(at).blue(), image.pixelColor(at).red() + 50) << image.pixelColor(at).name().toStdString();
  QSignalSpy picked(&view, &ChartView::picked);
  QTest::mouseClick(view.childAt(at), Qt::LeftButton, {}, at);
  ASSERT_EQ(picked.count(), 1);
  EXPECT_EQ(picked[0][0].toString(), "the key");
}

TEST(ChartView, WithoutAnythingToDrawThereAreWordsAndNoAxes) {
  ChartView view;
  view.resize(600, 300);
  view.show();
  EXPECT_EQ(view.words().toStdString(), "Nothing to draw yet.");
  Chart chart = chart_of(dots());
  chart.series[0].key = "a";
  view.set_chart(chart);
  EXPECT_EQ(view.words(), "");
  view.set_hidden({"a"});
  EXPECT_THAT(view.words().toStdString(), testing::HasSubstr("hidden"));
  view.set_hidden({});
  EXPECT_EQ(view.words(), "");
  Chart empty;
  empty.notes = {"No launch kept its losses."};
  view.set_chart(empty);
  EXPECT_EQ(view.words().toStdString(), "No launch kept its losses.");
}

std::vector<double> labels_between(double low, double high) {
  ChartView view;
  view.resize(600, 400);
  Chart chart;
  chart.x.title = "ranks", chart.y.title = "throughput", chart.y.unit = "ktokens/s", chart.y.logarithmic = true;
  chart.series = {{"s", "s", Draw::line, 0, {{1, low}, {2, high}}}};
  view.set_chart(chart);
  view.show();
  QTest::qWait(20);
  return view.y_labels();
}

TEST(ChartView, ALogarithmicAxisHasLabelsOverAllOfItsLength) {
  using ::testing::ElementsAre;
  EXPECT_THAT(labels_between(24, 300), ElementsAre(20, 50, 100, 200));
  EXPECT_THAT(labels_between(0.03, 4), ElementsAre(0.05, 0.1, 0.2, 0.5, 1, 2, 5));
  EXPECT_THAT(labels_between(1, 1e5), ElementsAre(1, 10, 100, 1000, 1e4, 1e5));
  EXPECT_GE(labels_between(300, 380).size(), 3u) << "less than a power of ten";
}

TEST(ChartView, NewDataOnTheSameAxesKeepsTheZoom) {
  ChartView view;
  view.resize(600, 300);
  view.set_chart(chart_of(dots()));
  view.show();
  QTest::qWait(20);
  QTest::keyClick(&view, Qt::Key_Plus);
  const QPointF zoomed = view.pixel_of(4, 0);
  report::Figure more = dots();
  more.table.rows[0].values[1].estimate.value = 9000;
  view.set_chart(chart_of(more));
  EXPECT_EQ(view.pixel_of(4, 0), zoomed);
  QTest::keyClick(&view, Qt::Key_Home);
  EXPECT_NE(view.pixel_of(4, 0), zoomed);
}

}  // namespace
}  // namespace lockstep::gui
