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

constexpr double kApart = 0.22;  // between several dots of a row, in rows

ChartPoint point_of(const report::Figure& figure, size_t row, size_t column) {
  const report::Value& value = figure.table.rows[row].values[column];
  const bool interval = value.estimate.level > 0;
  return {scaled(value.estimate.value, figure.x), static_cast<double>(row),
          interval ? scaled(value.estimate.low, figure.x) : kNone,
          interval ? scaled(value.estimate.high, figure.x) : kNone,
          row_tip(figure.table.columns[column], figure.table.rows[row], value)};
}

void add_categories(Chart& chart, const report::Figure& figure) {
  for (const report::Row& row : figure.table.rows) chart.y.categories.push_back(row.values[0].text);
}

// A row a category, from the top down; each numeric column a series.
void add_bars(Chart& chart, const report::Figure& figure) {
  const report::Table& table = figure.table;
  add_categories(chart, figure);
  for (size_t column = 1; column < table.columns.size(); ++column) {
    ChartSeries series{table.columns[column].title, table.columns[column].key, Draw::hbars, column - 1, {}, true};
    for (size_t row = 0; row < table.rows.size(); ++row) {
      if (drawable(table.rows[row].values[column])) series.points.push_back(point_of(figure, row, column));
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
}

// A row a cell, in the cell's look; where there are several columns, all but the first are outlines.
void add_dots(Chart& chart, const report::Figure& figure) {
  const report::Table& table = figure.table;
  add_categories(chart, figure);
  const size_t columns = table.columns.size() - 1;
  for (size_t column = 1; column <= columns; ++column) {
    const bool hollow = column > 1;
    const double shift = kApart * (static_cast<double>(column) - 0.5 * static_cast<double>(columns + 1));
    const size_t before = chart.series.size();
    for (size_t row = 0; row < table.rows.size(); ++row) {
      if (!drawable(table.rows[row].values[column])) continue;
      ChartPoint point = point_of(figure, row, column);
      point.y += shift;
      const std::string name = table.rows[row].values[0].text + ", " + table.columns[column].title;
      chart.series.push_back({name, table.rows[row].cell, Draw::hdots, row, {point}, false, hollow});
    }
    if (columns == 1 || chart.series.size() == before) continue;
    chart.series.push_back({table.columns[column].title, "", Draw::hdots, 0, {}, true, hollow, true});
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
      add_dots(out, figure);
      break;
    case report::Mark::bars:
      add_bars(out, figure);
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
                          false,
                          false,
                          true});
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
