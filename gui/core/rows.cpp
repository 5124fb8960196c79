#include "gui/core/rows.h"

namespace lockstep::gui {

SomeRows::SomeRows(std::shared_ptr<const Rows> all, std::vector<size_t> rows, std::vector<size_t> columns)
    : all_(std::move(all)), rows_(std::move(rows)), places_(std::move(columns)) {
  for (const size_t place : places_) columns_.push_back(all_->columns()[place]);
}

std::vector<size_t> differing_columns(const Rows& rows) {
  std::vector<size_t> out;
  for (size_t column = 0; column < rows.columns().size(); ++column) {
    bool differs = column == 0;
    const std::string first = rows.size() > 0 ? rows.value(0, column).text : "";
    for (size_t row = 1; row < rows.size() && !differs; ++row) differs = rows.value(row, column).text != first;
    if (differs) out.push_back(column);
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
