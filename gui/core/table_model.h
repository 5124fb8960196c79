#pragma once

#include <QAbstractTableModel>

#include "results/report/model.h"

namespace lockstep::gui {

/// A table of a report in a view. What is shown is the report's text; the raw number with its interval, level, unit and
/// n stands in the tooltip. Sorting is by number, rows without one last; it never changes the table itself.
class TableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Role {
    kCell = Qt::UserRole,  ///< text of the row's cell, or what identifies the row
    kNumber                ///< the raw value; invalid where there is none
  };

  using QAbstractTableModel::QAbstractTableModel;

  /// Rows that stay keep their place in selections: rows are matched by their `cell`.
  void set_table(report::Table table);
  const report::Table& table() const { return table_; }
  /// The rows as they are shown, in order.
  report::Table shown() const;
  int row_of(const std::string& cell) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  const report::Value& value(const QModelIndex& index) const;
  void order_rows();

  report::Table table_;
  std::vector<size_t> order_;  ///< shown row -> row of the table
  int sorted_by_ = -1;
  Qt::SortOrder direction_ = Qt::AscendingOrder;
};

}  // namespace lockstep::gui
