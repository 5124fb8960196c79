// cast: numbers in another format. Between ops of a strategy with 16-bit storage the planner writes it; nothing is
// differentiated through it, since the gradients of rounded values are rounded themselves.
#include "reference_trainer/graph/ops/loop_helpers.h"
#include "reference_trainer/graph/ops/rows.h"

namespace lockstep::graph::ops {
namespace cast {

constexpr OpRow kRows[] = {{OpKind::cast, alike, flops_per_output<0>, nullptr, nullptr}};

}  // namespace cast

std::span<const OpRow> cast_rows() { return cast::kRows; }

}  // namespace lockstep::graph::ops
