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
    kNumber               ///< the raw value; invalid where there is none
  };

  using QAbstractTableModel::QAbstractTableModel;

  /// Where keys and columns are those that were there, only numbers change: choices and scroll position stay.
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
  void order_rows();
  /// Runs `change`, which may move rows, and keeps what persistent indices point at.
  template <class Change>
  void keeping_places(Change change);

  std::shared_ptr<const Rows> rows_ = std::make_shared<TableRows>(report::Table{});
  std::vector<size_t> order_;  ///< shown row -> row of the table
  int sorted_by_ = -1;
  Qt::SortOrder direction_ = Qt::AscendingOrder;
};

}  // namespace lockstep::gui
