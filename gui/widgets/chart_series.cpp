#include "gui/widgets/chart_series.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/core/text.h"
#include "gui/widgets/chart_plot.h"
#include "gui/widgets/theme.h"

namespace lockstep::gui {
namespace {

constexpr size_t kMostPoints = 4000;  // of a painted line
constexpr qsizetype kMostMarks = 40;  // a longer line has none

/// A mark, and its outline.
struct Mark {
  QCPScatterStyle::ScatterShape filled, hollow;
  bool of_lines = false;
};
constexpr std::array<Mark, kMarks> kShapes = {{
    {QCPScatterStyle::ssDisc, QCPScatterStyle::ssCircle},
    {QCPScatterStyle::ssDiamond, QCPScatterStyle::ssDiamond},
    {QCPScatterStyle::ssSquare, QCPScatterStyle::ssSquare},
    {QCPScatterStyle::ssTriangle, QCPScatterStyle::ssTriangle},
    {QCPScatterStyle::ssTriangleInverted, QCPScatterStyle::ssTriangleInverted},
    {QCPScatterStyle::ssCross, QCPScatterStyle::ssCrossCircle, true},
    {QCPScatterStyle::ssPlus, QCPScatterStyle::ssPlusCircle, true},
    {QCPScatterStyle::ssStar, QCPScatterStyle::ssCrossSquare, true},
}};
constexpr std::array kHatches = {Qt::SolidPattern, Qt::BDiagPattern, Qt::Dense4Pattern, Qt::HorPattern,
                                 Qt::FDiagPattern};

/// A series with how it looks.
struct Styled {
  const ChartSeries& series;
  QColor color;
  double weight;
  bool brushed;
};

QColor with_alpha(QColor color, float alpha) {
  color.setAlphaF(alpha);
  return color;
}

bool has_interval(const ChartPoint& p) { return std::isfinite(p.low) && std::isfinite(p.high); }

void add_curve(QCustomPlot& plot, const Styled& one) {
  const Qt::PenStyle dash = one.series.draw == Draw::guide ? Qt::DashLine : Qt::DotLine;
  auto* curve = new QCPCurve(plot.xAxis, plot.yAxis);
  for (const ChartPoint& p : one.series.points) curve->addData(p.x, p.y);
  curve->setPen(QPen(one.color, one.weight, dash)), curve->setName(qt(one.series.name));
  if (!one.series.in_legend) curve->removeFromLegend();
}

void add_bars(QCustomPlot& plot, const Styled& one) {
  auto* bars = new QCPBars(plot.yAxis, plot.xAxis);
  for (const ChartPoint& p : one.series.points) bars->addData(p.y, p.x);
  bars->setWidth(0.7), bars->setPen(QPen(background_color(), 0.5));
  bars->setBrush(QBrush(one.color, kHatches[one.series.look % kHatches.size()]));
  bars->setName(qt(one.series.name));
  for (int i = plot.plottableCount() - 2; i >= 0; --i) {
    if (auto* below = qobject_cast<QCPBars*>(plot.plottable(i))) return bars->moveAbove(below);
  }
}

void add_box(QCustomPlot& plot, const Styled& one) {
  auto* box = new QCPStatisticalBox(plot.yAxis, plot.xAxis);
  for (const ChartPoint& p : one.series.points) box->addData(p.y, p.low, p.quarter, p.x, p.three_quarters, p.high);
  const QPen thin(one.color, 1);
  box->setWidth(0.6), box->setBrush(with_alpha(one.color, 0.15F));
  box->setPen(thin), box->setMedianPen(QPen(one.color, 2.5)), box->setWhiskerPen(thin), box->setWhiskerBarPen(thin);
  box->removeFromLegend();
}

void add_band(QCustomPlot& plot, const Styled& one) {
  QCPGraph* low = plot.addGraph();
  QCPGraph* high = plot.addGraph();
  for (const ChartPoint& p : one.series.points) {
    if (has_interval(p)) low->addData(p.x, p.low), high->addData(p.x, p.high);
  }
  low->setPen(Qt::NoPen), high->setPen(Qt::NoPen);
  high->setBrush(with_alpha(one.color, 0.22F)), high->setChannelFillGraph(low);
  low->removeFromLegend();
  high->setName(qt(one.series.name));
  if (!one.series.in_legend) high->removeFromLegend();
}

void add_intervals(QCustomPlot& plot, const Styled& one, QCPGraph* graph) {
  const bool horizontal = one.series.draw == Draw::hdots;
  auto* bars = new QCPErrorBars(plot.xAxis, plot.yAxis);
  bars->removeFromLegend();
  bars->setDataPlottable(graph);
  bars->setErrorType(horizontal ? QCPErrorBars::etKeyError : QCPErrorBars::etValueError);
  bars->setPen(QPen(one.color, one.brushed ? 2.4 : 1.4));
  bars->setSymbolGap(4);
  // The graph keeps its data sorted by x: the bars follow that order.
  std::vector<ChartPoint> sorted = one.series.points;
  std::stable_sort(sorted.begin(), sorted.end(), [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  QVector<double> minus, plus;
  for (const ChartPoint& p : sorted) {
    const double middle = horizontal ? p.x : p.y;
    minus << (has_interval(p) ? middle - p.low : 0), plus << (has_interval(p) ? p.high - middle : 0);
  }
  bars->setData(minus, plus);
}

QCPScatterStyle mark_of(const Styled& one) {
  const Mark& mark = kShapes[look_mark(one.series.look)];
  const double size = one.brushed ? 11 : 8;
  if (one.series.hollow) return {mark.hollow, QPen(one.color, 1.5), background_color(), size};
  return {mark.filled, QPen(one.color, mark.of_lines ? 2.4 : 1.5), one.color, size};
}

// Dots, marks, lines and steps: what joins the points, and what stands at each of them.
void add_points(QCustomPlot& plot, const Styled& one) {
  const ChartSeries& series = one.series;
  const bool faint = series.draw == Draw::faint, stepped = series.draw == Draw::steps;
  const bool bare = series.draw == Draw::joined;
  const bool joined = series.draw == Draw::line || stepped || faint || bare;
  QCPGraph* graph = plot.addGraph();
  graph->setName(qt(series.name));
  if (!series.in_legend) graph->removeFromLegend();
  for (const ChartPoint& p : joined ? decimate(series.points, kMostPoints) : series.points) graph->addData(p.x, p.y);
  graph->setPen(faint    ? QPen(with_alpha(one.color, 0.3F), 1)
                : joined ? QPen(one.color, one.weight, series.hollow ? Qt::DotLine : look_dash(series.look))
                         : QPen(one.color, one.weight));
  graph->setLineStyle(stepped ? QCPGraph::lsStepLeft : joined ? QCPGraph::lsLine : QCPGraph::lsNone);
  if (!joined || (!faint && !bare && std::ssize(series.points) <= kMostMarks)) {
    graph->setScatterStyle(mark_of(one));
  }
  if (!stepped && std::any_of(series.points.begin(), series.points.end(), has_interval)) {
    add_intervals(plot, one, graph);
  }
}

}  // namespace

void add_series(QCustomPlot& plot, const ChartSeries& series, bool brushed) {
  const bool guide = series.draw == Draw::guide;
  const QColor color = guide || series.neutral ? quiet_text_color() : look_color(series.look);
  const Styled one{series, color, guide ? 1.2 : brushed ? 3.2 : 1.8, brushed};
  switch (series.draw) {
    case Draw::guide:
    case Draw::model:
      return add_curve(plot, one);
    case Draw::hbars:
      return add_bars(plot, one);
    case Draw::hbox:
      return add_box(plot, one);
    case Draw::band:
      return add_band(plot, one);
    case Draw::dots:
    case Draw::hdots:
    case Draw::marks:
    case Draw::line:
    case Draw::joined:
    case Draw::faint:
    case Draw::steps:
      return add_points(plot, one);
  }
}

}  // namespace lockstep::gui
