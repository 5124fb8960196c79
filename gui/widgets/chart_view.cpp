#include "gui/widgets/chart_view.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/core/text.h"
#include "gui/widgets/chart_axes.h"
#include "gui/widgets/chart_plot.h"
#include "gui/widgets/chart_series.h"
#include "gui/widgets/export.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/theme.h"

namespace lockstep::gui {
namespace {

constexpr int kRowHeight = 24;  // of a category, in pixels
constexpr int kNumbersPx = 60;  // left of a plot without categories
constexpr int kTickPx = 56, kMostTicks = 5;
constexpr int kLegendIcon = 42, kLegendGap = 8, kLegendMargins = 14;  // beside a name, between and around columns
constexpr double kNearEnough = 12;                                    // for tooltips and clicks

bool of_rows(const Chart& chart) { return !chart.y.categories.empty(); }

/// As many columns as fit, names going from left to right, row by row; each column is as wide as its widest name.
int columns_for(const std::vector<int>& names, int width) {
  for (size_t columns = names.size(); columns > 1; --columns) {
    std::vector<int> widest(columns, 0);
    for (size_t i = 0; i < names.size(); ++i) widest[i % columns] = std::max(widest[i % columns], names[i]);
    int all = kLegendMargins - kLegendGap;
    for (const int one : widest) all += one + kLegendIcon + kLegendGap;
    if (all <= width) return static_cast<int>(columns);
  }
  return 1;
}

}  // namespace

ChartView::ChartView(QWidget* parent) : QWidget(parent), plot_(new ChartPlot(this)), words_(text_label({})) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(plot_);
  layout->addWidget(words_);
  words_->setAlignment(Qt::AlignCenter);
  words_->setAutoFillBackground(true);
  words_->setBackgroundRole(QPalette::Base);
  show_words();
  setFocusPolicy(Qt::StrongFocus);
  plot_->setFocusPolicy(Qt::NoFocus);
  plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  plot_->setMouseTracking(true);
  plot_->installEventFilter(this);
  connect(plot_, &QCustomPlot::mouseWheel, this, [this] { zoomed_ = true; });
  connect(plot_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    if (event->buttons() != Qt::NoButton) zoomed_ = true;
    tell(event->pos());
  });
  connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] { show_all(); });
  connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    setFocus();
    const ChartPoint* point = nullptr;
    const ChartSeries* series = nearest(event->pos(), &point);
    if (event->button() == Qt::LeftButton) Q_EMIT picked(series != nullptr ? qt(series->key) : QString());
  });
}

ChartView::~ChartView() = default;

QSize ChartView::sizeHint() const {
  const int rows = static_cast<int>(chart_.y.categories.size());
  return {520, rows > 0 ? std::max(160, 110 + rows * kRowHeight) : 280};
}

void ChartView::set_chart(Chart chart) {
  const bool same_axes = chart.x.title == chart_.x.title && chart.x.unit == chart_.x.unit &&
                         chart.y.title == chart_.y.title && chart.y.unit == chart_.y.unit &&
                         chart.x.logarithmic == chart_.x.logarithmic && chart.y.logarithmic == chart_.y.logarithmic &&
                         chart.y.categories == chart_.y.categories;
  zoomed_ = zoomed_ && same_axes;
  chart_ = std::move(chart);
  setAccessibleName(qt(chart_.title));
  QStringList words;
  for (const ChartSeries& series : chart_.series) words << qt(series.name);
  for (const std::string& note : chart_.notes) words << qt(note);
  setAccessibleDescription(words.join("; "));
  if (of_rows(chart_)) setMinimumHeight(sizeHint().height());
  updateGeometry();
  rebuild();
}

void ChartView::set_hidden(const std::set<std::string>& keys) {
  if (keys == hidden_) return;
  hidden_ = keys;
  rebuild();
}

void ChartView::set_brushed(const std::string& key) {
  if (key == brushed_) return;
  brushed_ = key;
  rebuild();
}

QPointF ChartView::pixel_of(double x, double y) const {
  return {plot_->xAxis->coordToPixel(x), plot_->yAxis->coordToPixel(y)};
}

std::vector<double> ChartView::y_labels() const {
  const QVector<double> ticks = plot_->yAxis->tickVector();
  return {ticks.begin(), ticks.end()};
}

QString ChartView::words() const { return words_->isHidden() ? QString() : words_->text(); }

// Axes of nothing would have numbers of nothing, without a unit.
void ChartView::show_words() {
  bool drawn = false, there = false;
  for (const ChartSeries& series : chart_.series) {
    const bool has = series.draw != Draw::guide && !series.points.empty();
    there = there || has;
    drawn = drawn || (has && hidden_.count(series.key) == 0);
  }
  plot_->setVisible(drawn), words_->setVisible(!drawn);
  if (drawn) return;
  QStringList notes;
  for (const std::string& note : chart_.notes) notes << qt(note);
  words_->setText(there             ? QString("Everything here is hidden; Esc shows it again.")
                  : notes.isEmpty() ? QString("Nothing to draw yet.")
                                    : notes.join("\n"));
}

void ChartView::style_axes() {
  style_axis(*plot_->xAxis, chart_.x);
  style_axis(*plot_->yAxis, chart_.y);
  plot_->yAxis->setRangeReversed(of_rows(chart_));
  plot_->setBackground(QBrush(background_color()));
  for (QCPAxis* axis : {plot_->xAxis2, plot_->yAxis2}) axis->setVisible(false);
  plot_->axisRect()->setRangeZoom(of_rows(chart_) ? Qt::Horizontal : Qt::Horizontal | Qt::Vertical);
  plot_->axisRect()->setRangeDrag(of_rows(chart_) ? Qt::Horizontal : Qt::Horizontal | Qt::Vertical);
}

// As many marks as have room: beside long names of categories there is little.
void ChartView::fit_ticks() {
  if (chart_.x.logarithmic || !chart_.x.categories.empty()) return;
  int names = kNumbersPx;
  for (const std::string& name : chart_.y.categories) {
    names = std::max(names, fontMetrics().horizontalAdvance(qt(name)));
  }
  plot_->xAxis->ticker()->setTickCount(std::clamp((width() - names) / kTickPx, 1, kMostTicks));
}

// Below the plot, in as many columns as fit.
void ChartView::style_legend() {
  std::vector<int> names;
  for (const ChartSeries& series : chart_.series) {
    if (series.in_legend && hidden_.count(series.key) == 0)
      names.push_back(fontMetrics().horizontalAdvance(qt(series.name)));
  }
  const size_t named = names.size();
  QCPLegend* legend = plot_->legend;
  legend->setVisible(named > 1);
  legend_columns_ = columns_for(names, width());
  legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
  legend->setWrap(legend_columns_);
  legend->setBrush(QBrush(background_color()));
  legend->setBorderPen(Qt::NoPen);
  legend->setTextColor(text_color());
  legend->setFont(QApplication::font());
  if (named > 1 && plot_->plotLayout()->rowCount() < 2) plot_->plotLayout()->addElement(1, 0, legend);
  if (plot_->plotLayout()->rowCount() > 1) plot_->plotLayout()->setRowStretchFactor(1, named > 1 ? 0.001 : 1e-6);
}

void ChartView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_ticks();
  const int before = legend_columns_;
  if (plot_->legend->visible()) rebuild();
  if (before != legend_columns_) updateGeometry();
}

void ChartView::rebuild() {
  const QCPRange x = plot_->xAxis->range(), y = plot_->yAxis->range();
  plot_->clearPlottables();
  plot_->clearItems();
  show_words();
  style_axes();
  fit_ticks();
  style_legend();
  for (const ChartSeries& series : chart_.series) {
    if (hidden_.count(series.key) == 0) add_series(*plot_, series, !brushed_.empty() && series.key == brushed_);
  }
  if (zoomed_) {
    plot_->xAxis->setRange(x), plot_->yAxis->setRange(y);
    plot_->replot(QCustomPlot::rpQueuedReplot);
  } else {
    show_all();
  }
}

void ChartView::show_all() {
  zoomed_ = false;
  plot_->rescaleAxes(true);
  for (const auto& [axis, data] : {std::pair{plot_->xAxis, &chart_.x}, std::pair{plot_->yAxis, &chart_.y}}) {
    if (!data->categories.empty()) {
      axis->setRange(-0.6, static_cast<double>(data->categories.size()) - 0.4);
    } else if (data->logarithmic) {
      axis->setRange(axis->range().lower / 1.25, axis->range().upper * 1.25);
    } else {
      if (data->from_zero && axis->range().lower > 0) axis->setRangeLower(0);
      const double margin = axis->range().size() * 0.04;
      axis->setRange(axis->range().lower - (data->from_zero && axis->range().lower >= 0 ? 0 : margin),
                     axis->range().upper + margin);
    }
  }
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

const ChartSeries* ChartView::nearest(const QPoint& position, const ChartPoint** point) const {
  const ChartSeries* best = nullptr;
  double least = kNearEnough;
  for (const ChartSeries& series : chart_.series) {
    if (hidden_.count(series.key) != 0 || series.draw == Draw::guide || series.draw == Draw::band ||
        series.draw == Draw::joined) {
      continue;
    }
    for (const ChartPoint& p : series.points) {
      const QPointF at = pixel_of(p.x, p.y);
      const double distance = std::hypot(at.x() - position.x(), at.y() - position.y());
      if (distance < least) least = distance, best = &series, *point = &p;
    }
  }
  return best;
}

void ChartView::tell(const QPoint& position) {
  const ChartPoint* point = nullptr;
  if (nearest(position, &point) != nullptr && !point->tip.empty()) {
    QToolTip::showText(plot_->mapToGlobal(position), qt(point->tip), plot_);
  } else {
    QToolTip::hideText();
  }
}

void ChartView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) rebuild();
  QWidget::changeEvent(event);
}

void ChartView::keyPressEvent(QKeyEvent* event) {
  const auto pan = [&](double part) {
    plot_->xAxis->moveRange(plot_->xAxis->range().size() * part);
    zoomed_ = true;
    plot_->replot();
  };
  const auto zoom = [&](double factor) {
    plot_->xAxis->scaleRange(factor);
    if (!of_rows(chart_)) plot_->yAxis->scaleRange(factor);
    zoomed_ = true;
    plot_->replot();
  };
  switch (event->key()) {
    case Qt::Key_Left:
      return pan(-0.1);
    case Qt::Key_Right:
      return pan(0.1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(0.8);
    case Qt::Key_Minus:
      return zoom(1.25);
    case Qt::Key_Home:
      return show_all();
    default:
      QWidget::keyPressEvent(event);
  }
}

void ChartView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addAction("Show everything", this, &ChartView::show_all);
  menu.addAction("Save picture...", this, [this] { save_picture(this, qt(chart_.title)); });
  menu.addAction("Save data...", this, [this] { save_tables(this, {chart_.table}, qt(chart_.title)); });
  menu.exec(event->globalPos());
}

// A plot between pages of a scrolled view must not swallow the wheel before it is clicked.
bool ChartView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == plot_ && event->type() == QEvent::Wheel && !hasFocus()) {
    event->ignore();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace lockstep::gui
