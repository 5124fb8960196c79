#pragma once

#include <QWidget>
#include <set>

#include "gui/core/chart.h"

namespace lockstep::gui {

class ChartPlot;

/// Paints a chart. Only the files chart_*.cpp know a plotting library. Drag pans, the wheel zooms, a double
/// click or Home shows everything, hovering tells raw numbers, a click on a series brushes it in every view.
class ChartView : public QWidget {
  Q_OBJECT
 public:
  explicit ChartView(QWidget* parent = nullptr);
  ~ChartView() override;

  /// The same axes keep what a person has zoomed to.
  void set_chart(Chart chart);
  const Chart& chart() const { return chart_; }

  /// Keys of series that are not drawn; the one that stands out. No number changes.
  void set_hidden(const std::set<std::string>& keys);
  void set_brushed(const std::string& key);

  /// In pixels of this widget: where a value of the axes is painted. What tests and export rely on.
  QPointF pixel_of(double x, double y) const;
  /// The numbers that stand at the upright axis, from its low end.
  std::vector<double> y_labels() const;
  /// What stands in place of axes where no series has a point to draw; empty: axes do.
  QString words() const;

  QSize minimumSizeHint() const override { return {260, 160}; }
  QSize sizeHint() const override;

 public Q_SLOTS:
  void show_all();

 Q_SIGNALS:
  /// A series was clicked; empty: the background.
  void picked(const QString& key);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void rebuild();
  void show_words();
  void style_axes();
  void fit_ticks();
  void style_legend();
  void tell(const QPoint& position);
  const ChartSeries* nearest(const QPoint& position, const ChartPoint** point) const;

  Chart chart_;
  std::set<std::string> hidden_;
  std::string brushed_;
  ChartPlot* plot_;
  class QLabel* words_;
  bool zoomed_ = false;
  int legend_columns_ = 1;
};

}  // namespace lockstep::gui
