// What all figures share: scales, axes, text, marks.
#include "results/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "results/report/escape.h"

namespace lockstep::report {
namespace {

constexpr double kAsciiWidth = 7.2, kWideWidth = 13;

// 1, 2 or 5 times a power of ten, so that about five steps fill the range.
double round_step(double range) {
  const double rough = range / 5, power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  return (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10) * power;
}

}  // namespace

double text_width(const std::string& text) {
  double width = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) width += kAsciiWidth;
    if (byte >= 0xC0) width += byte >= 0xE0 ? kWideWidth : kAsciiWidth;
  }
  return width;
}

Scale::Scale(double low, double high, double from, double to) : from_(from), to_(to) {
  if (!(std::isfinite(low) && std::isfinite(high) && low < high)) low = 0, high = 1;
  step_ = round_step(high - low);
  low_ = std::floor(low / step_ + 1e-9) * step_;
  high_ = std::ceil(high / step_ - 1e-9) * step_;
}

std::vector<double> Scale::ticks() const {
  std::vector<double> out;
  const auto count = static_cast<int>(std::lround((high_ - low_) / step_));
  for (int i = 0; i <= count; ++i) out.push_back(low_ + i * step_);
  return out;
}

std::string Scale::tick_text(double tick) const {
  const int digits = std::clamp(static_cast<int>(-std::floor(std::log10(step_) + 1e-9)), 0, 12);
  return fmt::format("{:.{}f}", std::abs(tick) < step_ * 1e-9 ? 0 : tick, digits);
}

std::string axis_title(const Axis& axis) { return axis.unit == "1" ? axis.title : axis.title + " (" + axis.unit + ")"; }

std::string svg(const Figure& figure) {
  switch (figure.mark) {
    case Mark::dots:
      return svg_dots(figure);
    case Mark::line:
      return svg_lines(figure);
    case Mark::bars:
      break;
  }
  return svg_bars(figure);
}

std::string svg_open(double width, double height, const std::string& label) {
  return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">\n", width, height, xml(label));
}

std::string svg_text(double x, double y, const char* anchor, const std::string& text, const char* style) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", style, x, y, anchor,
                     xml(text));
}

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1, y1,
                     x2, y2);
}

std::string svg_mark(double x, double y, size_t look) {
  // Corners around the centre; the first look is a circle.
  static constexpr std::array<const char*, kLooks> kShapes = {"",  // circle
                                                              "M0 -6L6 0L0 6L-6 0Z",
                                                              "M-4.5 -4.5H4.5V4.5H-4.5Z",
                                                              "M0 -5.5L5.5 4.5H-5.5Z",
                                                              "M0 5.5L5.5 -4.5H-5.5Z",
                                                              "M-5 -1.7H-1.7V-5H1.7V-1.7H5V1.7H1.7V5H-1.7V1.7H-5Z",
                                                              "M-5.5 -2H5.5V2H-5.5Z"};
  const size_t one = look % kLooks;
  if (one == 0) return fmt::format("<circle class=\"m c0\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\"/>\n", x, y);
  return fmt::format("<path class=\"m c{}\" transform=\"translate({:.1f} {:.1f})\" d=\"{}\"/>\n", one, x, y,
                     kShapes[one]);
}

std::string svg_x_axis(const Scale& scale, const Axis& axis, double top, double bottom, double middle) {
  std::string out;
  for (const double tick : scale.ticks()) {
    out += svg_line(scale.at(tick), top, scale.at(tick), bottom, "grid");
    out += svg_text(scale.at(tick), bottom + 16, "middle", scale.tick_text(tick));
  }
  return out + svg_text(middle, bottom + 36, "middle", axis_title(axis), "t axis");
}

}  // namespace lockstep::report
