#pragma once

#include <QAbstractItemModel>
#include <string>
#include <vector>

#include "gui/core/chart.h"
#include "results/report/model.h"

namespace lockstep::gui::golden {

/// A model as people see it: a line of heads, then a line a row, fields apart by " | "; what is below a row is
/// indented.
std::string text_of(const QAbstractItemModel& model);
/// Title, the table in its model, notes.
std::string text_of(const report::Table& table);
/// Axes, then a line a point; of long curves the first and last points, how many there are, and their sum.
std::string text_of(const Chart& chart);
/// A line each.
std::string text_of(const std::vector<std::string>& lines);
std::string text_of(const std::vector<report::Fact>& facts);

/// What became of lines, "- " those that are gone, "+ " those that came, with their numbers; empty: the same.
std::string difference(const std::string& before, const std::string& after);

/// Compares with tests/gui/golden/NAME.txt. LOCKSTEP_RENEW_GOLDEN=1 writes the file: then `git diff` is to be read.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace lockstep::gui::golden
