#pragma once

#include "gui/core/chart.h"

class QCustomPlot;

namespace lockstep::gui {

/// Adds what paints the series; `brushed`: it stands out.
void add_series(QCustomPlot& plot, const ChartSeries& series, bool brushed);

}  // namespace lockstep::gui
