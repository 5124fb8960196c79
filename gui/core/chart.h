#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "results/report/model.h"

namespace lockstep::gui {

/// A chart as plain data: computed here, painted by gui/widgets/chart_view. Values are in the units that the axes name.
struct ChartAxis {
  std::string title;  ///< "throughput"
  std::string unit;   ///< "ktokens/s"; empty for ratios and counts
  bool logarithmic = false;
  double base = 10;                     ///< of a logarithmic axis's ticks
  bool from_zero = false;               ///< shows zero where all values are positive
  std::vector<std::string> categories;  ///< names of 0, 1, 2, ...; empty: numbers
};

/// No value.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct ChartPoint {
  double x = 0, y = 0;
  double low = kNone, high = kNone;        ///< interval, in y, or in x for horizontal ones
  std::string tip;                         ///< raw numbers, for the tooltip
  double quarter = 0, three_quarters = 0;  ///< of a box
};

/// How a series is drawn.
enum class Draw : uint8_t {
  dots,    ///< a mark a point, intervals as bars along y
  hdots,   ///< the same with intervals along x: a row a category
  marks,   ///< a mark a point and nothing else
  hbox,    ///< a box a row: low, quarter, x as the median, three_quarters, high
  line,    ///< joined points
  joined,  ///< the same without marks: these are series of their own
  faint,   ///< a thin pale line: the raw curve under a smoothed one
  steps,   ///< joined by steps: a distribution function
  band,    ///< the area between low and high
  hbars,   ///< horizontal bars from 0 to x, stacked in order of the series
  guide,   ///< a thin dashed line: ideal, target
  model    ///< a dotted line in the series' colour: what a law says of it
};

struct ChartSeries {
  std::string name;
  std::string key;  ///< what has one colour in all views: a cell's text, or a name
  Draw draw = Draw::line;
  size_t look = 0;  ///< index of its colour, mark and dash (see widgets/theme)
  std::vector<ChartPoint> points;
  bool in_legend = true;
  bool hollow = false;   ///< marks are outlines, lines dotted: another reading of what has the same look
  bool neutral = false;  ///< of no cell: in the colour of text; without points it only explains marks in the legend
};

struct Chart {
  std::string title;
  ChartAxis x, y;
  std::vector<ChartSeries> series;
  std::vector<std::string> notes;  ///< what it shows and what is missing, in words
  report::Table table;             ///< the data behind it: what is exported
  bool empty() const { return series.empty(); }
};

/// A figure of a report.
Chart chart_of(const report::Figure& figure);

/// What the tooltip of a value says: the row's name, the column, the value with its interval.
std::string row_tip(const report::Column& column, const report::Row& row, const report::Value& value);

/// At most `most` points of a line: the least and the greatest y of each of equal stretches of x, from raw data, so
/// that no peak is lost.
std::vector<ChartPoint> decimate(const std::vector<ChartPoint>& points, size_t most);

}  // namespace lockstep::gui
