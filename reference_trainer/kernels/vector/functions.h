#pragma once

#include <cstdint>

#include "reference_trainer/kernels/vector/isa.h"

namespace lockstep::kernels::LOCKSTEP_ISA {

// Elementary functions without branches or calls, so that the loops around them vectorize.

/// e^x, relative error below 2e-7; x is clamped to [-87.3, 88.3] (results 1e-38 and 2e38). Reduction to
/// [-ln 2 / 2, ln 2 / 2] and the polynomial of Moshier's Cephes library (expf).
inline float exp_of(float x) {
  x = x < -87.3f ? -87.3f : x;
  x = x > 88.3f ? 88.3f : x;
  constexpr float kToInteger = 12582912.0f;  // 1.5 * 2^23: adding it rounds to the nearest integer
  const float shifted = x * 1.44269504088896341f + kToInteger;
  const float n = shifted - kToInteger;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const int32_t exponent = (__builtin_bit_cast(int32_t, shifted) - __builtin_bit_cast(int32_t, kToInteger) + 127) << 23;
  return p * __builtin_bit_cast(float, exponent);
}

/// tanh x, error below 3e-7 of the result: the rational approximation of degree 13 over 6 that Eigen uses.
inline float tanh_of(float x) {
  x = x < -7.90531110763549805f ? -7.90531110763549805f : x;
  x = x > 7.90531110763549805f ? 7.90531110763549805f : x;
  const float s = x * x;
  float p = -2.76076847742355e-16f;
  p = p * s + 2.00018790482477e-13f;
  p = p * s + -8.60467152213735e-11f;
  p = p * s + 5.12229709037114e-08f;
  p = p * s + 1.48572235717979e-05f;
  p = p * s + 6.37261928875436e-04f;
  p = p * s + 4.89352455891786e-03f;
  float q = 1.19825839466702e-06f;
  q = q * s + 1.18534705686654e-04f;
  q = q * s + 2.26843463243900e-03f;
  q = q * s + 4.89352518554385e-03f;
  return x * p / q;
}

inline float sigmoid_of(float x) { return 1.0f / (1.0f + exp_of(-x)); }

inline float larger(float a, float b) { return a > b ? a : b; }

}  // namespace lockstep::kernels::LOCKSTEP_ISA
