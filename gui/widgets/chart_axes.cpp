#include "gui/widgets/chart_axes.h"

#include <cmath>

#include "gui/core/text.h"
#include "gui/widgets/chart_plot.h"
#include "gui/widgets/theme.h"

namespace lockstep::gui {
namespace {

QString axis_label(const ChartAxis& axis) {
  if (axis.unit.empty()) return qt(axis.title);
  return qt(axis.title + " [" + axis.unit + "]");
}

/// Where there is less than three powers of ten, 1, 2 and 5 times each; where even these are few, as on a linear axis.
class FewDecadesTicker : public QCPAxisTickerLog {
 protected:
  QVector<double> createTickVector(double, const QCPRange& range) override {
    QVector<double> powers, all;
    const int first = static_cast<int>(std::floor(std::log10(range.lower)));
    const int last = static_cast<int>(std::ceil(std::log10(range.upper)));
    for (int power = first; power <= last; ++power) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double at = factor * std::pow(10, power);
        if (at < range.lower || at > range.upper) continue;
        all << at;
        if (factor == 1.0) powers << at;
      }
    }
    if (std::log10(range.upper / range.lower) >= kManyDecades) return powers;
    return all.size() >= kFewTicks ? all : QCPAxisTicker::createTickVector(QCPAxisTicker::getTickStep(range), range);
  }
  int getSubTickCount(double) override { return 0; }

 private:
  static constexpr double kManyDecades = 3;
  static constexpr int kFewTicks = 3;
};

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
    QSharedPointer<QCPAxisTickerLog> powers(data.base == 10 ? new FewDecadesTicker : new QCPAxisTickerLog);
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
