#include "gui/widgets/chart_plot.h"

namespace lockstep::gui {

void ChartPlot::paintEvent(QPaintEvent* event) {
  QCPPainter painter(this);
  const bool pixels = painter.device() != nullptr && painter.paintEngine() != nullptr &&
                      painter.paintEngine()->type() == QPaintEngine::Raster;
  painter.end();
  if (pixels) {
    QCustomPlot::paintEvent(event);
    return;
  }
  QCPPainter vectors(this);
  vectors.setMode(QCPPainter::pmVectorized);
  vectors.setMode(QCPPainter::pmNoCaching);
  vectors.fillRect(rect(), palette().base());
  toPainter(&vectors, width(), height());
}

// On its way into a layout a plot may be of no size for a moment: there is nothing to paint then.
void ChartPlot::resizeEvent(QResizeEvent* event) {
  if (!event->size().isEmpty()) QCustomPlot::resizeEvent(event);
}

}  // namespace lockstep::gui
