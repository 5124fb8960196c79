#pragma once

#include <optional>

#include "gui/core/timeline/columns.h"

namespace lockstep::gui::timeline {

enum class Direction : int8_t { previous = -1, next = 1 };

/// The activity of the same name on the same track that begins next, or before; of equal begins, by place.
std::optional<uint32_t> same_name(const Columns& columns, uint32_t activity, Direction direction);
/// The one beside it on its row.
std::optional<uint32_t> beside(const Columns& columns, uint32_t activity, Direction direction);
/// The activity of a row that goes on at a time, else the nearest one.
std::optional<uint32_t> nearest(const Columns& columns, uint32_t row, double at_ns);

}  // namespace lockstep::gui::timeline
