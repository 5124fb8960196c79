#pragma once

#include "gui/core/chart.h"

class QCPAxis;

namespace lockstep::gui {

/// Title with unit, scale, ticks and colours of an axis.
void style_axis(QCPAxis& axis, const ChartAxis& data);

}  // namespace lockstep::gui
