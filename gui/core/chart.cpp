#include "gui/core/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "results/report/headings.h"
#include "results/report/values.h"

namespace lockstep::gui {
namespace {

ChartAxis axis_of(const report::Axis& axis) {
  ChartAxis out;
  out.title = axis.title, out.unit = axis.unit == "1" ? "" : axis.unit;
  return out;
}

// Base units to those of the axis.
double scaled(double value, const report::Axis& axis) { return value / axis.scale; }

bool drawable(const report::Value& value) {
  return value.numeric && value.missing.empty() && std::isfinite(value.estimate.value);
}

// A row a category, from the top down; each numeric column a series.
void add_rows(Chart& chart, const report::Figure& figure, Draw draw) {
  const report::Table& table = figure.table;
  for (const report::Row& row : table.rows) chart.y.categories.push_back(row.values[0].text);
  for (size_t column = 1; column < table.columns.size(); ++column) {
    ChartSeries series{table.columns[column].title, table.columns[column].key, draw, column - 1, {}, true};
    for (size_t row = 0; row < table.rows.size(); ++row) {
      const report::Value& value = table.rows[row].values[column];
      if (!drawable(value)) continue;
      const bool interval = value.estimate.level > 0;
      series.points.push_back({scaled(value.estimate.value, figure.x), static_cast<double>(row),
                               interval ? scaled(value.estimate.low, figure.x) : kNone,
                               interval ? scaled(value.estimate.high, figure.x) : kNone,
                               row_tip(table.columns[column], table.rows[row], value)});
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
}

void add_curves(Chart& chart, const report::Figure& figure) {
  std::map<std::string, size_t> known;
  for (const report::Row& row : figure.table.rows) {
    const std::string& name = row.values[0].text;
    const auto [found, fresh] = known.try_emplace(name, chart.series.size());
    if (fresh) chart.series.push_back({name, row.cell, Draw::line, chart.series.size(), {}, true});
    if (!drawable(row.values[1]) || !drawable(row.values[2])) continue;
    chart.series[found->second].points.push_back(
        {scaled(row.values[1].estimate.value, figure.x), scaled(row.values[2].estimate.value, figure.y), kNone, kNone,
         name + "\n" + report::heading(figure.table.columns[1]) + " " + row.values[1].text + "\n" +
             report::heading(figure.table.columns[2]) + " " + row.values[2].text});
  }
}

}  // namespace

std::string row_tip(const report::Column& column, const report::Row& row, const report::Value& value) {
  return fmt::format("{}\n{}: {}", row.values[0].text, report::heading(column), report::shown(value));
}

Chart chart_of(const report::Figure& figure) {
  Chart out;
  out.title = figure.title, out.x = axis_of(figure.x), out.y = axis_of(figure.y);
  out.notes = report::notes_of(figure.table);
  out.table = figure.table;
  out.x.from_zero = figure.mark != report::Mark::line;
  switch (figure.mark) {
    case report::Mark::dots:
      add_rows(out, figure, Draw::hdots);
      break;
    case report::Mark::bars:
      add_rows(out, figure, Draw::hbars);
      break;
    case report::Mark::line:
      add_curves(out, figure);
      break;
  }
  if (figure.bound) {
    const double rows = static_cast<double>(figure.table.rows.size());
    out.series.push_back({"the best there can be",
                          "bound",
                          Draw::guide,
                          0,
                          {{*figure.bound, -0.5, kNone, kNone, ""}, {*figure.bound, rows - 0.5, kNone, kNone, ""}},
                          false});
  }
  return out;
}

std::vector<ChartPoint> decimate(const std::vector<ChartPoint>& points, size_t most) {
  if (points.size() <= most || most < 4) return points;
  const size_t stretches = most / 2;
  std::vector<ChartPoint> out;
  for (size_t i = 0; i < stretches; ++i) {
    const auto begin = points.begin() + static_cast<ptrdiff_t>(points.size() * i / stretches);
    const auto end = points.begin() + static_cast<ptrdiff_t>(points.size() * (i + 1) / stretches);
    auto [least, greatest] =
        std::minmax_element(begin, end, [](const ChartPoint& a, const ChartPoint& b) { return a.y < b.y; });
    if (greatest < least) std::swap(least, greatest);
    out.push_back(*least);
    if (greatest != least) out.push_back(*greatest);
  }
  return out;
}

}  // namespace lockstep::gui
