#pragma once

#include <cstdint>

namespace lockstep::kernels {

/// Elementwise loops in fp32. y may be the same memory as an input.
struct PointwiseCode {
  void (*relu)(float* y, const float* x, int64_t n);
  void (*relu_grad)(float* dx, const float* dy, const float* y, int64_t n);
  void (*gelu)(float* y, const float* x, int64_t n);
  void (*gelu_grad)(float* dx, const float* dy, const float* x, int64_t n);
  void (*tanh)(float* y, const float* x, int64_t n);
  void (*tanh_grad)(float* dx, const float* dy, const float* y, int64_t n);
  void (*add)(float* y, const float* a, const float* b, int64_t n);
  /// y = x * scale where word >= threshold, else 0.
  void (*mask)(float* y, const float* x, const uint32_t* words, uint32_t threshold, float scale, int64_t n);
};

}  // namespace lockstep::kernels
