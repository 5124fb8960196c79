#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

namespace lockstep::stats {

/// Why there is no estimate. Values that cannot enter a method are never dropped: the whole estimate is refused.
enum class Refusal : uint8_t {
  none,
  no_values,
  not_a_number,
  infinite,         ///< only where the method cannot rank it: a median takes infinities, a ratio does not
  not_positive,     ///< a ratio needs values above zero
  unequal_lengths,  ///< pairs: both sides need a value
  too_few           ///< the method needs more launches
};

/// A reason in words, "" for none.
const char* to_text(Refusal refusal);

/// A value with its interval. `level` is the level that the interval really has (0.96875 for a median of 6), which is
/// at or above the one asked for where `n` can carry that and the largest possible where it cannot; 0 with one value.
struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  double level = 0;
  int64_t n = 0;  ///< launches, or pairs; of the smaller side where the sides differ
  Refusal refusal = Refusal::none;

  bool ok() const { return refusal == Refusal::none; }
};

/// The estimate times a known constant above zero: an efficiency is a ratio times p0 / p.
Estimate scaled(const Estimate& estimate, double factor);

/// The reason why `values` cannot be ranked (NaN), or cannot be subtracted (`finite`) or logged (`positive`).
enum class Domain : uint8_t { ordered, finite, positive };
Refusal check(std::span<const double> values, Domain domain);

}  // namespace lockstep::stats
