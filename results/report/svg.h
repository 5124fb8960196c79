#pragma once

#include <string>
#include <vector>

#include "results/report/model.h"

/// Figures as inline SVG. Colours come from the page's style sheet (classes c0, c1, ...), light or dark; shapes, dashes
/// and hatches tell the same apart without colour.
namespace lockstep::report {

/// How many series look different; more begin anew.
inline constexpr size_t kLooks = 7;

std::string svg(const Figure& figure);
std::string svg_dots(const Figure& figure);
std::string svg_lines(const Figure& figure);
std::string svg_bars(const Figure& figure);

/// The hatches that bars refer to: once in a page, before the first figure.
std::string svg_hatches();

/// Width of a text in pixels at the page's size of labels; wide scripts count double. An estimate, on the safe side.
double text_width(const std::string& text);

/// A linear scale from values to pixels with round ticks.
class Scale {
 public:
  /// `low` and `high` widen to round ticks; equal or unordered ones become [0, 1].
  Scale(double low, double high, double from, double to);
  double at(double value) const { return from_ + (value - low_) / (high_ - low_) * (to_ - from_); }
  std::vector<double> ticks() const;
  std::string tick_text(double tick) const;

 private:
  double low_, high_, step_, from_, to_;
};

/// Elements, coordinates to a tenth of a pixel.
std::string svg_open(double width, double height, const std::string& label);
std::string svg_text(double x, double y, const char* anchor, const std::string& text, const char* style = "t");
std::string svg_line(double x1, double y1, double x2, double y2, const std::string& style);
/// The dot of a series: circle, diamond, square, triangle, ...
std::string svg_mark(double x, double y, size_t look);
/// Grid lines, ticks and the title of the lower axis of a plot between `top` and `bottom`.
std::string svg_x_axis(const Scale& scale, const Axis& axis, double top, double bottom, double middle);
/// "throughput (ktokens/s)"
std::string axis_title(const Axis& axis);

}  // namespace lockstep::report
