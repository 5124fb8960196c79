#pragma once

#include "reference_trainer/graph/builder.h"

namespace lockstep::graph::ops {

/// Reads "kernel", "stride" and "pad" (one number, or [h, w]; pads also [top, bottom, left, right]) of an entry.
Attributes window_of(const Builder& builder, const OpSpec& spec, bool stride_is_kernel);

/// [batch, channels, height, width] after the window; refused when the window does not fit once.
Shape windowed(const Builder& builder, const OpSpec& spec, const Attributes& attr, const Shape& in, Extent channels);

}  // namespace lockstep::graph::ops
