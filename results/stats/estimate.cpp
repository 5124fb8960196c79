#include "results/stats/estimate.h"

namespace lockstep::stats {

const char* to_text(Refusal refusal) {
  switch (refusal) {
    case Refusal::none:
      return "";
    case Refusal::no_values:
      return "no values";
    case Refusal::not_a_number:
      return "a value is not a number";
    case Refusal::infinite:
      return "a value is infinite";
    case Refusal::not_positive:
      return "a ratio needs values above zero";
    case Refusal::unequal_lengths:
      return "pairs need a value on both sides";
    case Refusal::too_few:
      return "too few launches for this method";
  }
  return "";
}

Estimate scaled(const Estimate& estimate, double factor) {
  Estimate out = estimate;
  out.value *= factor;
  out.low *= factor;
  out.high *= factor;
  return out;
}

Refusal check(std::span<const double> values, Domain domain) {
  if (values.empty()) return Refusal::no_values;
  Refusal found = Refusal::none;  // by severity, not by position: the order of values must not matter
  for (const double value : values) {
    if (std::isnan(value)) return Refusal::not_a_number;
    if (domain != Domain::ordered && std::isinf(value)) found = Refusal::infinite;
    if (domain == Domain::positive && value <= 0 && found == Refusal::none) found = Refusal::not_positive;
  }
  return found;
}

}  // namespace lockstep::stats
