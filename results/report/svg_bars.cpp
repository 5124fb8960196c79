#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "results/report/figures.h"
#include "results/report/svg.h"

namespace lockstep::report {
namespace {

constexpr double kBarsWidth = 860, kBarRow = 28, kBarHeight = 18, kBarsTop = 34;
constexpr size_t kBarsLabel = 44;  // characters

/// Lines of a hatch's tile of 8 x 8 pixels, drawn in the page's colour over the class's.
constexpr std::array<const char*, kLooks> kHatches = {"",
                                                      "M-2 2L2 -2M0 8L8 0M6 10L10 6",
                                                      "M0 4H8",
                                                      "M4 0V8",
                                                      "M0 0L8 8M0 8L8 0",
                                                      "M4 0V8M0 4H8",
                                                      "M-2 6L2 10M0 0L8 8M6 -2L10 2"};

std::vector<size_t> stacked_columns(const Table& table) {
  std::vector<size_t> out;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].quantity == Quantity::cost) out.push_back(i);
  }
  return out;
}

double length_of(const Value& value) {
  const double number = value.estimate.value;
  return value.missing.empty() && std::isfinite(number) && number > 0 ? number : 0;
}

std::string swatch(double x, double y, double width, double height, size_t look) {
  return fmt::format(
      "<rect class=\"fill c{0}\" x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" height=\"{4:.1f}\"/>"
      "<rect x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" height=\"{4:.1f}\" fill=\"url(#hatch{0})\"/>\n",
      look % kLooks, x, y, width, height);
}

std::string stacked_bar(const Row& row, const std::vector<size_t>& columns, const Scale& scale, double unit, double y) {
  std::string out;
  double sum = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    const double length = length_of(row.values[columns[i]]) / unit;
    if (length > 0) out += swatch(scale.at(sum), y, scale.at(sum + length) - scale.at(sum), kBarHeight, i);
    sum += length;
  }
  return out;
}

double longest_bar(const Figure& figure, const std::vector<size_t>& columns) {
  double longest = 0;
  for (const Row& row : figure.table.rows) {
    double sum = 0;
    for (const size_t i : columns) sum += length_of(row.values[i]) / figure.x.scale;
    longest = std::max(longest, sum);
  }
  return longest;
}

std::string legend_of_bars(const Figure& figure, const std::vector<size_t>& columns, double left) {
  std::string out;
  double x = left;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string& title = figure.table.columns[columns[i]].title;
    out += swatch(x, 4, 16, 14, i) + svg_text(x + 22, 16, "start", title);
    x += text_width(title) + 44;
  }
  return out;
}

}  // namespace

std::string svg_hatches() {
  std::string out = "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\n";
  for (size_t i = 0; i < kLooks; ++i) {
    out += fmt::format(
        "<pattern id=\"hatch{}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
        "<path class=\"hatch\" d=\"{}\"/></pattern>\n",
        i, kHatches[i]);
  }
  return out + "</defs></svg>\n";
}

std::string svg_bars(const Figure& figure) {
  const std::vector<size_t> columns = stacked_columns(figure.table);
  double label = 0;
  for (const Row& row : figure.table.rows) label = std::max(label, text_width(cut(row.values[0].text, kBarsLabel)));
  const double left = label + 16, right = kBarsWidth - 28;
  const double bottom = kBarsTop + kBarRow * static_cast<double>(figure.table.rows.size());
  const Scale scale(0, longest_bar(figure, columns), left, right);
  std::string out = svg_open(kBarsWidth, bottom + 46, figure.title) + legend_of_bars(figure, columns, left);
  out += svg_x_axis(scale, figure.x, kBarsTop - 4, bottom, (left + right) / 2);
  double y = kBarsTop + (kBarRow - kBarHeight) / 2;
  for (const Row& row : figure.table.rows) {
    out += svg_text(left - 10, y + kBarHeight / 2 + 4, "end", cut(row.values[0].text, kBarsLabel));
    out += stacked_bar(row, columns, scale, figure.x.scale, y);
    y += kBarRow;
  }
  return out + "</svg>\n";
}

}  // namespace lockstep::report
