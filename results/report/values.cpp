#include "results/report/values.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "results/report/figures.h"

namespace lockstep::report {

Value text_value(std::string text) { return {std::move(text), {}, false, ""}; }

Value count_value(int64_t count) {
  Value out{fmt::format("{}", count), {}, true, ""};
  out.estimate.value = static_cast<double>(count);
  return out;
}

Value missing_value(std::string reason) { return {"-", {}, true, std::move(reason)}; }

Value number_value(double number, double scale, const std::string& reason) {
  if (std::isnan(number)) return missing_value(reason);
  stats::Estimate estimate;
  estimate.value = number;
  return {std::isinf(number) ? exact(number) : report::number(number / scale), estimate, true, ""};
}

Value estimate_value(const stats::Estimate& estimate, double scale) {
  if (!estimate.ok()) return missing_value(stats::to_text(estimate.refusal));
  if (!std::isfinite(estimate.value)) return number_value(estimate.value);
  return {with_interval(estimate, scale), estimate, true, ""};
}

std::string interval_text(const std::vector<Value>& values, const std::string& of) {
  std::set<double> levels;
  for (const Value& value : values) {
    if (value.numeric && value.missing.empty() && value.estimate.level > 0) levels.insert(value.estimate.level);
  }
  if (levels.empty()) return "none: no value has more than one launch";
  const std::string low = percent(*levels.begin()), high = percent(*levels.rbegin());
  return (low == high ? low : low + " to " + high) + " interval of the " + of;
}

std::string exact(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", number);
}

}  // namespace lockstep::report
