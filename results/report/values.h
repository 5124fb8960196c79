#pragma once

#include "results/report/model.h"

/// Makes the entries of report tables.
namespace lockstep::report {

Value text_value(std::string text);
Value count_value(int64_t count);
/// `-` with the reason.
Value missing_value(std::string reason);
/// A number of `estimate`'s unit, shown in units of `scale`; missing with a reason where it is not a number.
Value number_value(double number, double scale = 1, const std::string& reason = "not measured");
/// The same with an interval where there is one.
Value estimate_value(const stats::Estimate& estimate, double scale = 1);

/// What stands at one column of every interval: "96.9 % interval of the median over launches", with the levels there
/// are; with the reason where no value has one.
std::string interval_text(const std::vector<Value>& values, const std::string& of);

/// A number with the fewest digits that read back to the same value; "NaN", "Infinity", "-Infinity".
std::string exact(double number);

}  // namespace lockstep::report
