#include "reference_trainer/kernels/vector/cast.h"

#include "reference_trainer/kernels/vector/isa.h"

#ifdef __F16C__
#include <immintrin.h>
#endif

namespace lockstep::kernels::LOCKSTEP_ISA {
namespace {

uint32_t bits_of(float x) { return __builtin_bit_cast(uint32_t, x); }
float float_of(uint32_t bits) { return __builtin_bit_cast(float, bits); }

constexpr uint32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000;

/// The upper half of an fp32 number, which has the same exponents.
void to_bf16(uint16_t* y, const float* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t bits = bits_of(x[i]), nearest = bits + 0x7fff + ((bits >> 16) & 1);
    const uint32_t kept = (bits & kMagnitude) > kInfinity ? bits | 0x400000 : nearest;  // a NaN's lower half may be all
    y[i] = static_cast<uint16_t>(kept >> 16);
  }
}

void from_bf16(float* y, const uint16_t* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] = float_of(uint32_t{x[i]} << 16);
}

/// Numbers below 2^-14 are rounded by adding 1/2, whose last place is that of fp16's subnormal numbers.
uint16_t fp16_of(float x) {
  const uint32_t bits = bits_of(x), magnitude = bits & kMagnitude, sign = (bits & ~kMagnitude) >> 16;
  const uint32_t normal = (magnitude + 0xfff + ((magnitude >> 13) & 1) - (112U << 23)) >> 13;
  const uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
  const uint32_t finite = magnitude < (113U << 23) ? subnormal : normal;
  const uint32_t large = magnitude > kInfinity ? 0x7e00U : 0x7c00U;  // 65520 and more
  return static_cast<uint16_t>(sign | (magnitude >= 0x477ff000 ? large : finite));
}

float fp32_of(uint16_t x) {
  const uint32_t magnitude = x & 0x7fffU, sign = (x & 0x8000U) << 16, shifted = magnitude << 13;
  const uint32_t normal = shifted + (112U << 23), large = shifted + (224U << 23);
  const uint32_t subnormal = bits_of(float_of(shifted + (113U << 23)) - float_of(113U << 23));
  return float_of(sign | (magnitude < 0x400 ? subnormal : magnitude < 0x7c00 ? normal : large));
}

void to_fp16(uint16_t* y, const float* x, int64_t n) {
  int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i), _mm256_cvtps_ph(_mm256_loadu_ps(x + i), 0));  // 0: to nearest
#endif
  for (; i < n; ++i) y[i] = fp16_of(x[i]);
}

void from_fp16(float* y, const uint16_t* x, int64_t n) {
  int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
#endif
  for (; i < n; ++i) y[i] = fp32_of(x[i]);
}

}  // namespace

CastCode cast_code() { return {to_bf16, from_bf16, to_fp16, from_fp16}; }

}  // namespace lockstep::kernels::LOCKSTEP_ISA
