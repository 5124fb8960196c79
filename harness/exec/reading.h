#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/exec/formats.h"
#include "harness/exec/lines.h"

namespace lockstep::exec {

/// A line that told a step for the first time, with what that line and later ones of the same step said about it.
struct Point {
  int64_t step = 0;
  size_t line = 0;                      ///< index in the lines
  std::optional<double> loss;           ///< nat; may be NaN or infinite
  size_t loss_line = 0;                 ///< index of the line that had it
  std::optional<double> own_s, mean_s;  ///< of this one step; mean since the point before
  std::optional<double> samples, tokens;
};

struct LogMetric {
  int64_t step = 0;
  std::string name;
  double value = 0;
};

/// What a log says when it is read in one format.
struct Reading {
  LogFormat format;
  std::vector<Point> points;  ///< steps ascend
  std::vector<LogMetric> metrics;
  std::vector<size_t> unmatched;  ///< indices of lines
  int64_t matched = 0;            ///< lines
  int64_t repeated = 0;           ///< of them of the step that was told last (other ranks, redrawn bars)
  int64_t backwards = 0;          ///< ... of an earlier step (another phase): left out
  int64_t other_total = 0;        ///< ... of another total than most (the bar of an evaluation): left out
  bool counted = false;           ///< no line has a step: each counts as one
};

/// Pure. Failure "usage" for an expression that is none.
Reading read(const LogFormat& format, const std::vector<Line>& lines);

/// In every format of the table, in its order.
std::vector<Reading> read_all(const std::vector<Line>& lines);

/// The reading of the format in which most of the first 2000 lines tell a step. `log` is a format's name, an
/// expression, or "auto"; with "auto" and no match at all the reading has no points.
Reading read_as(const std::string& log, const std::vector<Line>& lines);

}  // namespace lockstep::exec
