#pragma once

#include <memory>
#include <string>
#include <vector>

#include "results/report/model.h"

namespace lockstep::gui {

/// What a table view shows: columns, and values that are made when they are asked for, so that 10^5 rows cost nothing
/// before they are seen. Does not change after it was made; may be read by several threads.
class Rows {
 public:
  virtual ~Rows() = default;

  virtual const std::string& title() const = 0;
  virtual const std::vector<report::Column>& columns() const = 0;
  virtual size_t size() const = 0;
  virtual report::Value value(size_t row, size_t column) const = 0;
  /// Identifies the row in every view: a cell's text, a launch's selector; empty: nothing in particular.
  virtual std::string key(size_t row) const = 0;
  /// Text of the cell that the row is about: its key, but of launches.
  virtual std::string cell(size_t row) const { return key(row); }
};

/// A table of a report.
class TableRows : public Rows {
 public:
  explicit TableRows(report::Table table) : table_(std::move(table)) {}
  const std::string& title() const override { return table_.title; }
  const std::vector<report::Column>& columns() const override { return table_.columns; }
  size_t size() const override { return table_.rows.size(); }
  report::Value value(size_t row, size_t column) const override { return table_.rows[row].values[column]; }
  std::string key(size_t row) const override { return table_.rows[row].cell; }

 private:
  report::Table table_;
};

/// Some of the rows and columns of others, in the order given.
class SomeRows : public Rows {
 public:
  SomeRows(std::shared_ptr<const Rows> all, std::vector<size_t> rows, std::vector<size_t> columns);
  const std::string& title() const override { return all_->title(); }
  const std::vector<report::Column>& columns() const override { return columns_; }
  size_t size() const override { return rows_.size(); }
  report::Value value(size_t row, size_t column) const override { return all_->value(rows_[row], places_[column]); }
  std::string key(size_t row) const override { return all_->key(rows_[row]); }
  std::string cell(size_t row) const override { return all_->cell(rows_[row]); }

 private:
  std::shared_ptr<const Rows> all_;
  std::vector<size_t> rows_, places_;
  std::vector<report::Column> columns_;
};

/// Columns whose values are not all alike; the first one always, and those of status and error where any launch did not
/// finish.
std::vector<size_t> differing_columns(const Rows& rows);

/// All of it as a report's table, in the order of `order` (empty: as it is): for export.
report::Table to_table(const Rows& rows, const std::vector<size_t>& order = {});

}  // namespace lockstep::gui
