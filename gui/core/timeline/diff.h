#pragma once

#include <string>

#include "gui/core/timeline/columns.h"
#include "results/report/model.h"

namespace lockstep::gui::timeline {

/// What became of the activities of a name from trace A to trace B.
enum class Change : uint8_t { only_b, only_a, a_faster, b_faster, unchanged };
const char* change_word(Change change);

/// A name whose time a step differs by less than this share of A's is called unchanged.
inline constexpr double kUnchanged = 0.05;

/// One side: `name` is what people call it ("@1.3 gpt-austen:tiny reference dp2 on threads").
struct Side {
  const Columns& columns;
  std::string name;
};

/// Measured activities by kind and name: counts, time a step over all ranks (time in all where a trace has no steps),
/// B's against A's, and the word; those whose time changed most come first.
report::Table diff(const Side& a, const Side& b);

}  // namespace lockstep::gui::timeline
