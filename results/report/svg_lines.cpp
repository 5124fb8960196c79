#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figures.h"
#include "results/report/svg.h"

namespace lockstep::report {
namespace {

constexpr double kLinesWidth = 860, kPlotTop = 10, kPlotBottom = 300, kPlotLeft = 64, kPlotRight = 840;
constexpr double kLegendRow = 22;
constexpr size_t kLinesLabel = 80;  // characters

struct CurvePoint {
  double x = 0, y = 0;
};
struct Curve {
  std::string name;
  std::vector<CurvePoint> points;
};

std::vector<Curve> curves_of(const Figure& figure) {
  std::vector<Curve> out;
  for (const Row& row : figure.table.rows) {
    const std::string& name = row.values[0].text;
    if (out.empty() || out.back().name != name) out.push_back({name, {}});
    const auto number = [](const Value& value, double scale) {
      return value.missing.empty() ? value.estimate.value / scale : std::nan("");
    };
    out.back().points.push_back({number(row.values[1], figure.x.scale), number(row.values[2], figure.y.scale)});
  }
  return out;
}

bool can_be_drawn(const CurvePoint& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

struct Box {
  double left = 0, right = 0, low = 1e300, high = -1e300;
};

Box box_of(const std::vector<Curve>& curves) {
  Box out;
  for (const Curve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      if (!can_be_drawn(point)) continue;
      out.right = std::max(out.right, point.x);
      out.low = std::min(out.low, point.y), out.high = std::max(out.high, point.y);
    }
  }
  return out;
}

// A value that is not a number interrupts the line.
std::string path_of(const Curve& curve, const Scale& x, const Scale& y, size_t look) {
  std::string data;
  bool pen_down = false;
  for (const CurvePoint& point : curve.points) {
    const bool fine = can_be_drawn(point);
    if (fine) data += fmt::format("{}{:.1f} {:.1f}", pen_down ? 'L' : 'M', x.at(point.x), y.at(point.y));
    pen_down = fine;
  }
  std::string out = fmt::format("<path class=\"curve c{0} d{0}\" d=\"{1}\"/>\n", look % kLooks, data);
  if (!curve.points.empty() && can_be_drawn(curve.points.back())) {
    out += svg_mark(x.at(curve.points.back().x), y.at(curve.points.back().y), look);
  }
  return out;
}

std::string y_axis(const Scale& y, const Axis& axis) {
  std::string out;
  for (const double tick : y.ticks()) {
    out += svg_line(kPlotLeft, y.at(tick), kPlotRight, y.at(tick), "grid");
    out += svg_text(kPlotLeft - 8, y.at(tick) + 4, "end", y.tick_text(tick));
  }
  const double middle = (kPlotTop + kPlotBottom) / 2;
  return out + fmt::format("<g transform=\"rotate(-90 14 {0:.1f})\">{1}</g>\n", middle,
                           svg_text(14, middle, "middle", axis_title(axis), "t axis"));
}

}  // namespace

std::string svg_lines(const Figure& figure) {
  const std::vector<Curve> curves = curves_of(figure);
  const Box box = box_of(curves);
  const Scale x(box.left, box.right, kPlotLeft, kPlotRight), y(box.low, box.high, kPlotBottom, kPlotTop);
  const double legend = kPlotBottom + 60;
  std::string out = svg_open(kLinesWidth, legend + kLegendRow * static_cast<double>(curves.size()), figure.title);
  out += svg_x_axis(x, figure.x, kPlotTop, kPlotBottom, (kPlotLeft + kPlotRight) / 2) + y_axis(y, figure.y);
  for (size_t i = 0; i < curves.size(); ++i) {
    const double at = legend + kLegendRow * static_cast<double>(i);
    out += path_of(curves[i], x, y, i);
    out += svg_line(kPlotLeft, at, kPlotLeft + 40, at, fmt::format("curve c{0} d{0}", i % kLooks));
    out +=
        svg_mark(kPlotLeft + 40, at, i) + svg_text(kPlotLeft + 54, at + 4, "start", cut(curves[i].name, kLinesLabel));
  }
  return out + "</svg>\n";
}

}  // namespace lockstep::report
