#include "gui/widgets/chart_axes.h"

#include "gui/core/text.h"
#include "gui/widgets/chart_plot.h"
#include "gui/widgets/theme.h"

namespace lockstep::gui {
namespace {

QString axis_label(const ChartAxis& axis) {
  if (axis.unit.empty()) return qt(axis.title);
  return qt(axis.title + " [" + axis.unit + "]");
}

}  // namespace

void style_axis(QCPAxis& axis, const ChartAxis& data) {
  axis.setLabel(axis_label(data));
  axis.setScaleType(data.logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  if (!data.categories.empty()) {
    QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
    for (size_t i = 0; i < data.categories.size(); ++i) names->addTick(static_cast<double>(i), qt(data.categories[i]));
    axis.setTicker(names);
    axis.setSubTicks(false);
    axis.grid()->setVisible(false);
    axis.setLabel({});
  } else if (data.logarithmic) {
    QSharedPointer<QCPAxisTickerLog> powers(new QCPAxisTickerLog);
    powers->setLogBase(data.base);
    axis.setTicker(powers);
    axis.setNumberFormat("gb");
    axis.setNumberPrecision(4);
  } else {
    axis.setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
    axis.setNumberFormat("gb");
    axis.setNumberPrecision(6);
  }
  const QPen quiet(quiet_text_color());
  axis.setBasePen(quiet), axis.setTickPen(quiet), axis.setSubTickPen(quiet);
  axis.setTickLabelColor(text_color()), axis.setLabelColor(text_color());
  axis.grid()->setPen(QPen(grid_color(), 1, Qt::DotLine));
  axis.grid()->setZeroLinePen(QPen(grid_color()));
  const QFont font = QApplication::font();
  axis.setTickLabelFont(font), axis.setLabelFont(font);
}

}  // namespace lockstep::gui
