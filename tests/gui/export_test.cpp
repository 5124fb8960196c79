// Pictures of vectors show what a picture of pixels shows, and no more.
#include <gtest/gtest.h>

#include <QPainter>
#include <QSvgRenderer>
#include <QVBoxLayout>
#include <cmath>

#include "gui/core/text.h"
#include "gui/widgets/cut_shapes.h"
#include "gui/widgets/export.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/vectors.h"
#include "results/report/tables.h"
#include "results/report/values.h"
#include "tests/results/store_records.h"

namespace lockstep::gui {
namespace {

constexpr QRectF kUnit(0, 0, 10, 10);

TEST(CutShapes, LinesEndAtTheEdge) {
  EXPECT_EQ(line_inside({2, 2, 8, 8}, kUnit), QLineF(2, 2, 8, 8));
  EXPECT_EQ(line_inside({-5, 5, 15, 5}, kUnit), QLineF(0, 5, 10, 5));
  EXPECT_EQ(line_inside({5, 5, 5, 25}, kUnit), QLineF(5, 5, 5, 10));
  EXPECT_FALSE(line_inside({-5, 4, 4, -5}, kUnit)) << "passes by the corner";
  EXPECT_FALSE(line_inside({11, 0, 12, 9}, kUnit));
}

TEST(CutShapes, APathThatLeavesAndComesBackIsTwoPieces) {
  QPainterPath path({2, 2});
  for (const QPointF& p : {QPointF(2, 20), QPointF(8, 20), QPointF(8, 2)}) path.lineTo(p);
  const QPainterPath inside = lines_inside(path, kUnit);
  EXPECT_EQ(inside.toSubpathPolygons().size(), 2);
  EXPECT_EQ(inside.boundingRect(), QRectF(2, 2, 6, 8));
}

double size_of(const QPainterPath& area) {
  double out = 0;
  for (const QPolygonF& outline : area.toSubpathPolygons()) {
    for (qsizetype i = 0; i + 1 < outline.size(); ++i) {
      out += (outline[i].x() * outline[i + 1].y() - outline[i + 1].x() * outline[i].y()) / 2;
    }
  }
  return std::abs(out);
}

TEST(CutShapes, AnAreaKeepsItsHoles) {
  QPainterPath ring;
  ring.addPolygon(QPolygonF({{-6, -6}, {6, -6}, {6, 6}, {-6, 6}, {-6, -6}}));
  ring.addPolygon(QPolygonF({{-3, -3}, {-3, 3}, {3, 3}, {3, -3}, {-3, -3}}));  // the other way round: a hole
  EXPECT_NEAR(size_of(area_inside(ring, kUnit)), 6 * 6 - 3 * 3, 1e-9);
  EXPECT_TRUE(area_inside(ring, {7, 7, 2, 2}).isEmpty());
}

/// As a row of a table that scrolls: a child that is wider than its parent, and a text beside it.
class WideContent : public QWidget {
 public:
  WideContent() {
    resize(200, 60);
    auto* frame = new QWidget(this);
    frame->setGeometry(0, 0, 100, 60);
    auto* wide = new Wide(frame);
    wide->setGeometry(-20, 0, 300, 60);
  }

 private:
  class Wide : public QWidget {
   public:
    using QWidget::QWidget;

   protected:
    void paintEvent(QPaintEvent*) override {
      QPainter painter(this);
      painter.fillRect(rect(), Qt::red);
      painter.setPen(QPen(Qt::blue, 3));
      painter.drawLine(0, 10, width(), 10);
      painter.setClipRect(rect());  // as cells of tables do: wider than what is seen
      painter.save();
      painter.setClipRect(0, 0, 5, 5, Qt::IntersectClip);
      painter.restore();  // brings the wide one back
      QFont large = font();
      large.setPixelSize(40);
      painter.setFont(large);
      painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft, "MMMMMMMMMMMM");
      painter.drawEllipse(80, 20, 200, 30);
      QImage image(40, 10, QImage::Format_RGB32);
      image.fill(Qt::green);
      painter.drawImage(QRect(100, 50, 40, 10), image);
    }
  };
};

/// Painted through a device that has no clip of its own; the pixels right of x that are not background.
int painted_right_of(const QImage& image, int x) {
  int out = 0;
  for (int y = 0; y < image.height(); ++y) {
    for (int at = x; at < image.width(); ++at) out += image.pixel(at, y) != image.pixel(199, 59) ? 1 : 0;
  }
  return out;
}

QImage white(const QSize& size) {
  QImage out(size, QImage::Format_RGB32);
  out.fill(Qt::white);
  return out;
}

QImage through_vectors(QWidget& widget) {
  QImage out = white(widget.size());
  QPainter target(&out);
  paint_vectors(widget, target);
  return out;
}

TEST(Vectors, CutsWhatTheEdgeOfAWidgetHides) {
  WideContent widget;
  const QImage image = through_vectors(widget);
  EXPECT_EQ(painted_right_of(image, 102), 0);
  EXPECT_GT(painted_right_of(image, 50), 48 * 60) << "what is in sight is there";
  EXPECT_EQ(image.pixelColor(95, 55), QColor(Qt::green)) << "the part of the image that is in sight";
}

QImage of_svg(const std::string& file, const QSize& size) {
  QSvgRenderer renderer(qt(file));
  EXPECT_TRUE(renderer.isValid()) << file;
  QImage out = white(size);
  QPainter painter(&out);
  renderer.render(&painter);
  return out;
}

TEST(Export, AnSvgPaintsNothingBesideAFrame) {
  WideContent widget;
  const store::testing::Folder folder;
  paint_to_file(widget, folder.file("w.svg"), 1);
  const QImage image = of_svg(folder.file("w.svg"), widget.size());
  const QColor beside = image.pixelColor(150, 5);
  for (int x = 104; x < 200; ++x) {
    for (int y = 0; y < 60; ++y) ASSERT_EQ(image.pixelColor(x, y), beside) << x << "," << y;
  }
}

report::Table wide_table() {
  report::Table out;
  out.title = "wide";
  for (const char* key : {"a", "b", "c", "d", "e"}) {
    out.columns.push_back(report::name_column(key, std::string(40, 'm').c_str()));
  }
  for (int i = 0; i < 4; ++i) {
    out.rows.push_back({std::to_string(i), std::vector<report::Value>(5, report::text_value(std::string(40, 'w')))});
  }
  return out;
}

/// Shares of dark pixels in squares of 20: what is where, whatever the smoothing.
std::vector<double> darkness(const QImage& image) {
  std::vector<double> out;
  for (int y = 0; y + 20 <= image.height(); y += 20) {
    for (int x = 0; x + 20 <= image.width(); x += 20) {
      double sum = 0;
      for (int i = 0; i < 400; ++i) sum += 255 - qGray(image.pixel(x + i % 20, y + i / 20));
      out.push_back(sum / 400 / 255);
    }
  }
  return out;
}

TEST(Export, AnSvgOfATableThatIsWiderThanItsFrameIsThePictureOfPixels) {
  QWidget page;
  auto* table = new TableView(&page);
  table->setGeometry(10, 10, 390, 180);
  table->set_table(wide_table());
  page.resize(600, 200);
  page.show();
  const store::testing::Folder folder;
  paint_to_file(page, folder.file("t.svg"), 1);
  paint_to_file(page, folder.file("t.png"), 1);
  const std::vector<double> vectors = darkness(of_svg(folder.file("t.svg"), page.size())),
                            pixels = darkness(QImage(qt(folder.file("t.png"))));
  ASSERT_EQ(vectors.size(), pixels.size());
  for (size_t i = 0; i < pixels.size(); ++i) EXPECT_NEAR(vectors[i], pixels[i], 0.15) << "square " << i;
}

}  // namespace
}  // namespace lockstep::gui
