#pragma once

#include <QMenu>
#include <QTableView>

#include "gui/core/table_model.h"

namespace lockstep::gui {

/// A table whose columns fit what they hold; sorts by a click on a head, copies what is selected, and tells which row
/// is chosen by its key.
class TableView : public QTableView {
  Q_OBJECT
 public:
  explicit TableView(QWidget* parent = nullptr);

  const TableModel& shown() const { return rows_; }
  /// Shows the rows; choice and scroll position stay.
  void set_rows(std::shared_ptr<const Rows> rows);
  void set_table(report::Table table) { set_rows(std::make_shared<TableRows>(std::move(table))); }
  /// Selects the row without telling.
  void choose(const std::string& key);
  /// As high as all its rows, where a page scrolls as a whole.
  void fit_height();

 Q_SIGNALS:
  void chosen(const QString& key);
  void opened(const QString& key);  ///< double click or Enter
  /// A context menu is about to be shown, of a row or (row -1) of a head; column -1: of nothing. Others may add to it.
  void menu_wanted(QMenu* menu, int column, int row);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  /// With Ctrl, Home and End would move the current row and leave the selection where it was.
  QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index, const QEvent* event) const override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  void copy() const;
  void show_menu(const QPoint& global, int column, int row);

  TableModel rows_;
  bool quiet_ = false;
  std::vector<QString> heads_;
};

}  // namespace lockstep::gui
