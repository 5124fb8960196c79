#include "gui/core/rows.h"

#include <set>

namespace lockstep::gui {

SomeRows::SomeRows(std::shared_ptr<const Rows> all, std::vector<size_t> rows, std::vector<size_t> columns)
    : all_(std::move(all)), rows_(std::move(rows)), places_(std::move(columns)) {
  for (const size_t place : places_) columns_.push_back(all_->columns()[place]);
}

namespace {

// Where all launches failed alike nothing differs, and why they failed is all there is to know.
const std::set<std::string> kOfFailures{"status", "error_kind", "error_message"};

bool has_unfinished(const Rows& rows) {
  for (size_t column = 0; column < rows.columns().size(); ++column) {
    if (rows.columns()[column].key != "status") continue;
    for (size_t row = 0; row < rows.size(); ++row) {
      if (rows.value(row, column).text != "finished") return true;
    }
  }
  return false;
}

}  // namespace

std::vector<size_t> differing_columns(const Rows& rows) {
  std::vector<size_t> out;
  const bool unfinished = has_unfinished(rows);
  for (size_t column = 0; column < rows.columns().size(); ++column) {
    bool differs = column == 0;
    const std::string first = rows.size() > 0 ? rows.value(0, column).text : "";
    for (size_t row = 1; row < rows.size() && !differs; ++row) differs = rows.value(row, column).text != first;
    if (differs || (unfinished && kOfFailures.contains(rows.columns()[column].key))) out.push_back(column);
  }
  return out;
}

report::Table to_table(const Rows& rows, const std::vector<size_t>& order) {
  report::Table out;
  out.title = rows.title(), out.columns = rows.columns();
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t row = order.empty() ? i : order[i];
    out.rows.push_back({rows.key(row), {}});
    for (size_t column = 0; column < rows.columns().size(); ++column) {
      out.rows.back().values.push_back(rows.value(row, column));
    }
  }
  return out;
}

}  // namespace lockstep::gui
