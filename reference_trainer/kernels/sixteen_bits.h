#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference_trainer/graph/graph.h"

namespace lockstep::kernels {

/// A 16-bit format: so many bits of precision (the leading one included) and exponents of normal numbers. What is
/// smaller has fewer bits (subnormal numbers), as IEEE 754 has it.
struct SixteenBits {
  int precision, least_exponent, largest_exponent;

  int fraction() const { return precision - 1; }
  uint16_t infinity() const { return static_cast<uint16_t>((2 * largest_exponent + 1) << fraction()); }
};

constexpr SixteenBits kBf16 = {8, -126, 127}, kFp16 = {11, -14, 15};

inline const SixteenBits& format_of(graph::Type type) { return type == graph::Type::bf16 ? kBf16 : kFp16; }

/// The oracle of `cast`: the nearest number of the format, the even one of two; too large ones become infinite.
template <class T>
uint16_t to_16_bits(T x, const SixteenBits& format) {
  const auto sign = static_cast<uint16_t>(std::signbit(x) ? 0x8000 : 0);
  if (std::isnan(x)) return static_cast<uint16_t>(sign | format.infinity() | (1 << (format.fraction() - 1)));
  if (std::isinf(x)) return static_cast<uint16_t>(sign | format.infinity());
  if (x == 0) return sign;
  const int exponent = std::max(std::ilogb(x), format.least_exponent);
  // In units of the last place: exact, since it is a multiplication by a power of two within the range of T.
  const auto units = static_cast<int64_t>(std::nearbyint(std::ldexp(std::abs(x), format.fraction() - exponent)));
  // Numbers in rising order have bits in rising order, so a carry into the exponent, or to infinity, is just addition.
  const int64_t bits = units + (int64_t{exponent - format.least_exponent} << format.fraction());
  return static_cast<uint16_t>(sign | (bits < format.infinity() ? bits : format.infinity()));
}

template <class T>
T from_16_bits(uint16_t bits, const SixteenBits& format) {
  const int magnitude = bits & 0x7fff, exponent = magnitude >> format.fraction();
  const T sign = (bits & 0x8000) != 0 ? T(-1) : T(1);
  if (magnitude > format.infinity()) return std::copysign(std::numeric_limits<T>::quiet_NaN(), sign);
  if (magnitude == format.infinity()) return sign * std::numeric_limits<T>::infinity();
  const int units = exponent == 0 ? magnitude : magnitude - ((exponent - 1) << format.fraction());
  return sign * std::ldexp(T(units), std::max(exponent - 1, 0) + format.least_exponent - format.fraction());
}

}  // namespace lockstep::kernels
