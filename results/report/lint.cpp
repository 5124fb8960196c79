#include "results/report/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lockstep::report {
namespace {

using Complaints = std::vector<std::string>;

void check_base(const Column& column, const std::string& place, Complaints& out) {
  if (column.quantity == Quantity::ratio && column.base.empty()) {
    out.push_back(fmt::format("{}: {} is a ratio whose base is not named", place, column.title));
  }
}

// Arithmetic for costs, harmonic for rates, geometric only for ratios; ranks (median, Hodges-Lehmann) for all.
void check_mean(const Column& column, const std::string& place, Complaints& out) {
  const bool wrong = (column.centre == Centre::arithmetic_mean && column.quantity != Quantity::cost) ||
                     (column.centre == Centre::harmonic_mean && column.quantity != Quantity::rate) ||
                     (column.centre == Centre::geometric_mean && column.quantity != Quantity::ratio);
  if (wrong) {
    out.push_back(fmt::format("{}: {}: arithmetic means are for costs, harmonic for rates, geometric for ratios", place,
                              column.title));
  }
}

// A value that differs from launch to launch has an interval, or its column says why there is none.
void check_interval(const Table& table, size_t at, const std::string& place, Complaints& out) {
  const Column& column = table.columns[at];
  if (column.deterministic || column.interval.starts_with("none: ")) return;
  if (column.interval.empty()) {
    out.push_back(fmt::format("{}: {} differs from launch to launch: say its interval", place, column.title));
    return;
  }
  const bool bare = std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
    const Value& value = row.values[at];
    return value.missing.empty() && value.estimate.n > 1 && !(value.estimate.level > 0);
  });
  if (bare) out.push_back(fmt::format("{}: {}: a value of several launches has no interval", place, column.title));
}

void check_unit(const Column& column, const std::string& place, Complaints& out) {
  const bool dimension = column.quantity == Quantity::cost || column.quantity == Quantity::rate;
  if (dimension && column.unit.empty()) out.push_back(fmt::format("{}: {} has no unit", place, column.title));
}

void check_table(const Table& table, const std::string& place, Complaints& out) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    check_base(table.columns[i], place, out);
    check_mean(table.columns[i], place, out);
    check_interval(table, i, place, out);
    check_unit(table.columns[i], place, out);
  }
}

void check_figure(const Figure& figure, const std::string& place, Complaints& out) {
  for (const Axis* axis : {&figure.x, &figure.y}) {
    if (axis->title.empty() || axis->unit.empty()) out.push_back(place + ": an axis needs a title and a unit");
  }
  if (figure.mark == Mark::line && !figure.x.continuous) {
    out.push_back(place + ": there is nothing between its points, so no line may join them");
  }
  const auto is_ratio = [](const Column& column) { return column.quantity == Quantity::ratio; };
  const auto& columns = figure.table.columns;
  if (std::any_of(columns.begin(), columns.end(), is_ratio) && !figure.bound) {
    out.push_back(place + ": show the bound of performance beside a ratio");
  }
}

void check_setup(const ReportModel& model, Complaints& out) {
  constexpr std::array kNeeded = {"suite", "machine", "versions", "launches a cell", "blocks", "warm-up"};
  for (const char* needed : kNeeded) {
    const bool there = std::any_of(model.setup.begin(), model.setup.end(),
                                   [&](const Fact& fact) { return fact.name == needed && !fact.text.empty(); });
    if (!there) out.push_back(fmt::format("set-up: {} is not documented", needed));
  }
  if (model.parallel_time.empty()) out.emplace_back("set-up: say how the time of a parallel launch is measured");
}

}  // namespace

std::vector<std::string> lint(const ReportModel& model) {
  Complaints out;
  check_setup(model, out);
  for (const Section& section : model.sections) {
    for (const Figure& figure : section.figures) {
      const std::string place = fmt::format("{}, figure {}", section.title, figure.title);
      check_figure(figure, place, out);
      check_table(figure.table, place, out);
    }
    for (const Table& table : section.tables)
      check_table(table, fmt::format("{}, {}", section.title, table.title), out);
  }
  return out;
}

}  // namespace lockstep::report
