#pragma once

#include "reference_trainer/kernels/onednn/compiler.h"

namespace lockstep::kernels::onednn {

/// Channels in the innermost axis of a [batch, channels, height, width] tensor's format: 8 or 16, 1 when it is dense, 0
/// for any other format.
int64_t channel_block(const Format& format);

/// The format of a tensor of this shape with `block` channels innermost.
Format blocked(const Operand& x, int64_t block);

/// Planes [h, w, block] of a tensor.
inline int64_t planes(const Operand& x, int64_t block) { return x.dims[0] * ((x.dims[1] + block - 1) / block); }

PlaneWindow window_of(const graph::Attributes& attr, const Operand& x, const Operand& y);

}  // namespace lockstep::kernels::onednn
