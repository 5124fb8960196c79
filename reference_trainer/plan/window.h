#pragma once

#include "reference_trainer/graph/graph.h"

namespace lockstep::plan {

/// A window along one axis: output o reads inputs [o x stride - pad, o x stride - pad + kernel).
struct Window {
  int64_t kernel = 1, stride = 1, pad = 0;
  bool operator==(const Window&) const = default;
};

/// Of an op with windows, along its height or width.
Window window_of(const graph::Attributes& attr, graph::Dim dim);

/// The inputs, of `size` in all, that a run of outputs reads, and how much padding it reads before and after them.
struct Needed {
  graph::Interval inputs;
  int64_t before = 0, after = 0;
};
Needed needed(const Window& window, const graph::Interval& outputs, int64_t size);

/// Gives an op that makes some outputs only the padding that these read.
void set_padding(graph::Attributes& attr, graph::Dim dim, const Needed& part);

}  // namespace lockstep::plan
