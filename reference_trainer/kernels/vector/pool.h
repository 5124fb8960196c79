#pragma once

#include <cstdint>

namespace lockstep::kernels {

/// A window that moves over planes: input h x w, output p x q.
struct PlaneWindow {
  int64_t h = 0, w = 0, p = 0, q = 0;
  int64_t kernel_h = 0, kernel_w = 0, stride_h = 0, stride_w = 0, pad_top = 0, pad_left = 0;
};

/// Pools and a convolution's weight gradient in fp32, on planes [h, w, block] whose innermost axis holds `block`
/// channels: 1 (dense), 8 or 16 (what oneDNN calls nChw8c and nChw16c).
struct PoolCode {
  /// `chosen`: index within the window of the first of the largest, one a number of y; -1 where the window is empty.
  void (*max)(const PlaneWindow& z, int64_t block, const float* x, float* y, int32_t* chosen);
  void (*max_grad)(const PlaneWindow& z, int64_t block, const float* dy, const int32_t* chosen, float* dx);
  void (*average)(const PlaneWindow& z, int64_t block, const float* x, float* y);
  void (*average_grad)(const PlaneWindow& z, int64_t block, const float* dy, float* dx);
  /// dw[r][s][block] += sum over the output of dy[.., block] * x, where x is a dense plane of one input channel. Much
  /// faster than oneDNN's own for a few input channels, which it pads to a block.
  void (*weight_grad)(const PlaneWindow& z, int64_t block, const float* x, const float* dy, float* dw);
};

}  // namespace lockstep::kernels
