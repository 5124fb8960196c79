#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/stats/estimate.h"

namespace lockstep::report {

/// At least three significant digits, never an exponent between 0.001 and 1e6: "48.8", "0.672", "1240".
std::string number(double value);

/// "48.8 [48.1, 49.3]" in units of `unit`; the value alone where there is no interval; "-" where there is no value.
/// All three share the value's decimals.
std::string with_interval(const stats::Estimate& estimate, double unit = 1);

/// "96.9 %"
std::string percent(double fraction);

/// "3 min 40 s", "3.1 s".
std::string duration_text(double seconds);

/// Columns of text, two blanks apart, as wide as their widest cell; the first `left` columns are set flush left.
class Columns {
 public:
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// A line that stands as it is, over all columns.
  void add_line(std::string line) { rows_.push_back({std::move(line)}); }
  std::string text(size_t left) const;

 private:
  std::vector<std::vector<std::string>> rows_;  ///< one cell: a line of its own
};

/// Broken at blanks, or behind "|" and "," of a long word, into lines of at most `width` columns, all but the first
/// indented by `hang`; at most `lines` of them, the last one cut where there is more. With a newline at the end.
std::string wrap(const std::string& text, size_t width, int lines, size_t hang = 4);

/// Cut at `width` columns with "..." where it is longer. Counts UTF-8 characters.
std::string cut(const std::string& line, size_t width);

}  // namespace lockstep::report
