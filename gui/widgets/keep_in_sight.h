#pragma once

#include <functional>

class QScrollArea;

namespace lockstep::gui {

/// Runs `change`, which may make what the area scrolls higher or lower: what was at the top of the area stays there.
void keep_in_sight(QScrollArea& area, const std::function<void()>& change);

}  // namespace lockstep::gui
