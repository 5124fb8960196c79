#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/figures.h"
#include "results/report/svg.h"

namespace lockstep::report {
namespace {

constexpr double kDotsWidth = 860, kDotsRow = 28, kDotsTop = 30;
constexpr size_t kDotsLabel = 44;  // characters

/// Where the parts of a dot plot stand.
struct DotsLayout {
  std::vector<size_t> numbers;  ///< the columns that are drawn
  double left = 0, right = 0, top = 0, bottom = 0;
  bool legend = false;  ///< the figure is of several columns, drawn or not
  bool values = false;  ///< the only column's values stand at the right
};

DotsLayout layout_of_dots(const Figure& figure) {
  DotsLayout out;
  int ranged = 0;
  for (size_t i = 0; i < figure.table.columns.size(); ++i) {
    const auto there = [i](const Row& row) { return row.values[i].missing.empty(); };
    const bool any = std::any_of(figure.table.rows.begin(), figure.table.rows.end(), there);
    ranged += figure.table.columns[i].ranged;
    if (figure.table.columns[i].ranged && any) out.numbers.push_back(i);
  }
  double label = 0, value = 0;
  out.values = out.numbers.size() == 1;
  for (const Row& row : figure.table.rows) {
    label = std::max(label, text_width(cut(row.values[0].text, kDotsLabel)));
    if (out.values) value = std::max(value, text_width(row.values[out.numbers[0]].text));
  }
  out.left = label + 16;
  out.right = kDotsWidth - (out.values ? value + 28 : 28);
  out.legend = ranged > 1;
  out.top = out.legend ? kDotsTop : 8;
  out.bottom = out.top + kDotsRow * static_cast<double>(figure.table.rows.size()) + 4;
  return out;
}

// From 0, so that lengths compare, to the largest end of an interval.
double largest_end(const Figure& figure, const DotsLayout& layout) {
  double largest = figure.bound.value_or(0);
  for (const Row& row : figure.table.rows) {
    for (const size_t i : layout.numbers) {
      const stats::Estimate& one = row.values[i].estimate;
      for (const double end : {one.value, one.high}) {
        if (row.values[i].missing.empty() && std::isfinite(end)) largest = std::max(largest, end / figure.x.scale);
      }
    }
  }
  return largest;
}

std::string dot_with_interval(const Value& value, const Scale& scale, double unit, double y, size_t look) {
  const stats::Estimate& one = value.estimate;
  if (!value.missing.empty() || !std::isfinite(one.value)) return "";
  std::string out;
  if (one.level > 0 && std::isfinite(one.low) && std::isfinite(one.high)) {
    const double low = scale.at(one.low / unit), high = scale.at(one.high / unit);
    const std::string style = fmt::format("bar c{}", look % kLooks);
    out += svg_line(low, y, high, y, style) + svg_line(low, y - 4, low, y + 4, style) +
           svg_line(high, y - 4, high, y + 4, style);
  }
  return out + svg_mark(scale.at(one.value / unit), y, look);
}

std::string legend_of_dots(const Figure& figure, const DotsLayout& layout) {
  std::string out;
  double x = layout.left;
  for (size_t i = 0; layout.legend && i < layout.numbers.size(); ++i) {
    const std::string& title = figure.table.columns[layout.numbers[i]].title;
    out += svg_mark(x + 6, 12, i) + svg_text(x + 18, 16, "start", title);
    x += text_width(title) + 44;
  }
  return out;
}

std::string rows_of_dots(const Figure& figure, const DotsLayout& layout, const Scale& scale) {
  std::string out;
  double y = layout.top + kDotsRow / 2;
  const auto count = static_cast<double>(layout.numbers.size());
  for (const Row& row : figure.table.rows) {
    out += svg_text(layout.left - 10, y + 4, "end", cut(row.values[0].text, kDotsLabel));
    for (size_t i = 0; i < layout.numbers.size(); ++i) {
      const double shift = (static_cast<double>(i) - (count - 1) / 2) * 12;
      out += dot_with_interval(row.values[layout.numbers[i]], scale, figure.x.scale, y + shift, i);
    }
    if (layout.values) out += svg_text(kDotsWidth - 8, y + 4, "end", row.values[layout.numbers[0]].text);
    y += kDotsRow;
  }
  return out;
}

}  // namespace

std::string svg_dots(const Figure& figure) {
  const DotsLayout layout = layout_of_dots(figure);
  const Scale scale(0, largest_end(figure, layout), layout.left, layout.right);
  std::string out = svg_open(kDotsWidth, layout.bottom + 46, figure.title);
  out += legend_of_dots(figure, layout);
  out += svg_x_axis(scale, figure.x, layout.top, layout.bottom, (layout.left + layout.right) / 2);
  if (figure.bound) {
    const double x = scale.at(*figure.bound);
    out += svg_line(x, layout.top - 4, x, layout.bottom, "bound");
    const bool room = x + text_width("ideal") + 8 < kDotsWidth;
    out += svg_text(room ? x + 5 : x - 5, layout.top + 6, room ? "start" : "end", "ideal");
  }
  return out + rows_of_dots(figure, layout, scale) + "</svg>\n";
}

}  // namespace lockstep::report
