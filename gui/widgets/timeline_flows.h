#pragma once

#include <QPainter>
#include <vector>

#include "gui/core/timeline/flows.h"

namespace lockstep::gui {

/// Arrows from sends to their receives, those of the selected activity on top and thicker.
void paint_flows(QPainter& painter, const std::vector<timeline::FlowLine>& flows);

}  // namespace lockstep::gui
