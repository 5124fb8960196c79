#pragma once

// QCustomPlot's header says `slots`, `signals` and `foreach`, which are no words here.
#define foreach Q_FOREACH
#define slots Q_SLOTS
#define signals Q_SIGNALS
#include <qcustomplot.h>
#undef foreach
#undef slots
#undef signals

namespace lockstep::gui {

/// A plot that paints itself as vectors where its page is painted into a picture of vectors.
class ChartPlot : public QCustomPlot {
  Q_OBJECT
 public:
  using QCustomPlot::QCustomPlot;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
};

}  // namespace lockstep::gui
