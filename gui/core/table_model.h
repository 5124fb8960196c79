#pragma once

#include <QAbstractTableModel>

#include "gui/core/rows.h"

namespace lockstep::gui {

/// Rows in a view. What is shown is the report's text; the raw number with its interval, level, unit and
/// n stands in the tooltip. Sorting is by number, rows without one last; it never changes the rows themselves.
class TableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Role {
    kKey = Qt::UserRole,  ///< what identifies the row
    kNumber,              ///< the raw value; invalid where there is none
    kCell                 ///< text of the cell that the row is about
  };

  using QAbstractTableModel::QAbstractTableModel;

  /// Where columns are those that were there and no row is gone, numbers change and rows are inserted: choices stay.
  void set_rows(std::shared_ptr<const Rows> rows);
  void set_table(report::Table table) { set_rows(std::make_shared<TableRows>(std::move(table))); }
  const Rows& rows() const { return *rows_; }
  /// The rows as they are shown, in order.
  report::Table shown() const;
  int row_of(const std::string& key) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  size_t row_at(int shown) const { return order_[static_cast<size_t>(shown)]; }
  /// All rows, in the order that was chosen.
  std::vector<size_t> ordered() const;
  /// Other rows under the same columns; `old_place` has the new place of each old row.
  void grow(std::shared_ptr<const Rows> rows, const std::vector<size_t>& old_place);
  void insert_missing(const std::vector<size_t>& wanted);
  /// Runs `change`, which may move rows, and keeps what persistent indices point at.
  template <class Change>
  void keeping_places(Change change);

  std::shared_ptr<const Rows> rows_ = std::make_shared<TableRows>(report::Table{});
  std::vector<size_t> order_;  ///< shown row -> row of the table
  int sorted_by_ = -1;
  Qt::SortOrder direction_ = Qt::AscendingOrder;
};

}  // namespace lockstep::gui
