#pragma once

#include <cstdint>

namespace lockstep::kernels {

/// Between fp32 and the 16-bit formats: to nearest, ties to even; too large numbers become infinite, NaN stays NaN.
struct CastCode {
  void (*to_bf16)(uint16_t* y, const float* x, int64_t n);
  void (*from_bf16)(float* y, const uint16_t* x, int64_t n);
  void (*to_fp16)(uint16_t* y, const float* x, int64_t n);
  void (*from_fp16)(float* y, const uint16_t* x, int64_t n);
};

}  // namespace lockstep::kernels
