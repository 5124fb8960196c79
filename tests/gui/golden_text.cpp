#include "tests/gui/golden_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "gui/core/table_model.h"
#include "gui/core/text.h"

namespace lockstep::gui::golden {
namespace {

constexpr size_t kWholeCurve = 12, kEnds = 4;
constexpr size_t kMostLines = 40;

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string indented(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out += "  " + line + "\n";
  return out;
}

void add_rows(std::string& out, const QAbstractItemModel& model, const QModelIndex& parent, size_t depth) {
  for (int row = 0; row < model.rowCount(parent); ++row) {
    std::vector<std::string> fields;
    for (int column = 0; column < model.columnCount(parent); ++column) {
      fields.push_back(on_one_line(utf8(model.index(row, column, parent).data(Qt::DisplayRole).toString())));
    }
    out += std::string(2 * depth, ' ') + fmt::format("{}\n", fmt::join(fields, " | "));
    add_rows(out, model, model.index(row, 0, parent), depth + 1);
  }
}

std::string axis_text(const char* name, const ChartAxis& axis) {
  std::string out = fmt::format("{}: {}", name, axis.title);
  if (!axis.unit.empty()) out += fmt::format(" [{}]", axis.unit);
  if (axis.logarithmic) out += fmt::format(", logarithmic, base {:g}", axis.base);
  if (axis.from_zero) out += ", from zero";
  for (size_t i = 0; i < axis.categories.size(); ++i) out += fmt::format("\n  {} = {}", i, axis.categories[i]);
  return out + "\n";
}

constexpr const char* kDraws[] = {"dots",  "hdots", "marks", "hbox",  "line",  "joined",
                                  "faint", "steps", "band",  "hbars", "guide", "model"};

std::string point_text(const ChartPoint& point) {
  std::string out = fmt::format("{:.6g}, {:.6g}", point.x, point.y);
  if (point.low == point.low) out += fmt::format(" [{:.6g}, {:.6g}]", point.low, point.high);
  if (point.quarter != point.three_quarters)
    out += fmt::format(" ({:.6g} to {:.6g})", point.quarter, point.three_quarters);
  return out + "\n";
}

std::string series_text(const ChartSeries& series) {
  std::string out =
      fmt::format("{} ({}, look {}{}{})\n", series.name, kDraws[static_cast<size_t>(series.draw)], series.look,
                  series.neutral  ? ", neutral"
                  : series.hollow ? ", hollow"
                                  : "",
                  series.in_legend ? "" : ", not in legend");
  const size_t n = series.points.size();
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    if (series.points[i].y == series.points[i].y) sum += series.points[i].y;
    if (n <= kWholeCurve || i < kEnds || i + kEnds >= n) out += "  " + point_text(series.points[i]);
    if (n > kWholeCurve && i == kEnds) out += "  ...\n";
  }
  if (n > kWholeCurve) out += fmt::format("  {} points, sum of y {:.8g}\n", n, sum);
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(line);
  return out;
}

// Lengths of the longest common subsequences of what follows (i, j): Wagner and Fischer (1974).
std::vector<std::vector<size_t>> common_after(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<size_t>> out(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      out[i][j] = a[i] == b[j] ? out[i + 1][j + 1] + 1 : std::max(out[i + 1][j], out[i][j + 1]);
    }
  }
  return out;
}

}  // namespace

std::string text_of(const QAbstractItemModel& model) {
  std::vector<std::string> heads;
  for (int column = 0; column < model.columnCount(); ++column) {
    heads.push_back(on_one_line(utf8(model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString())));
  }
  std::string out = fmt::format("{}\n", fmt::join(heads, " | "));
  add_rows(out, model, {}, 0);
  return out;
}

std::string text_of(const report::Table& table) {
  TableModel model;
  model.set_table(table);
  return fmt::format("table: {}\n{}{}\n", table.title, indented(text_of(model)), indented(text_of(table.notes)));
}

std::string text_of(const Chart& chart) {
  std::string out = fmt::format("chart: {}\n", chart.title);
  std::string body = axis_text("x", chart.x) + axis_text("y", chart.y);
  for (const ChartSeries& series : chart.series) body += series_text(series);
  return out + indented(body + text_of(chart.notes)) + "\n";
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

std::string text_of(const std::vector<report::Fact>& facts) {
  std::string out;
  for (const report::Fact& fact : facts) out += fmt::format("{}: {}\n", fact.name, on_one_line(fact.text));
  return out;
}

std::string difference(const std::string& before, const std::string& after) {
  const std::vector<std::string> a = lines_of(before), b = lines_of(after);
  const auto common = common_after(a, b);
  std::vector<std::string> out;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      out.push_back(fmt::format("- {:4} {}", i + 1, a[i])), ++i;
    } else {
      out.push_back(fmt::format("+ {:4} {}", j + 1, b[j])), ++j;
    }
  }
  if (out.size() > kMostLines) {
    const size_t more = out.size() - kMostLines;
    out.resize(kMostLines), out.push_back(fmt::format("and {} lines more", more));
  }
  return text_of(out);
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string file = std::string(LOCKSTEP_SOURCE_DIR) + "/tests/gui/golden/" + name + ".txt";
  if (std::getenv("LOCKSTEP_RENEW_GOLDEN") != nullptr) std::ofstream(file) << text;
  std::ifstream in(file);
  std::ostringstream committed;
  committed << in.rdbuf();
  const std::string changed = difference(committed.str(), text);
  EXPECT_TRUE(in && changed.empty()) << file << "\n"
                                     << changed << "LOCKSTEP_RENEW_GOLDEN=1 writes the file; then read git diff";
}

}  // namespace lockstep::gui::golden
