#pragma once

#include <QObject>
#include <memory>
#include <string>
#include <vector>

#include "gui/core/rows.h"

class QMenu;

namespace lockstep::gui {

class Session;
class TableView;

/// What a table's columns can do: be chosen, hidden and filtered by, from the context menu of a head or of a row. The
/// choice is an option of the view, so it is shared, saved and undone.
class TableHeads : public QObject {
  Q_OBJECT
 public:
  /// Which columns the page's filter knows.
  enum class Filter : uint8_t { none, of_cells, all };

  /// `option`: "launches.columns". `otherwise`: the choice where the view says nothing.
  TableHeads(TableView& table, Session& session, std::string option, const char* otherwise, Filter filter);

  /// The table shows those of these rows' columns that the view's choice leaves.
  void set_rows(std::shared_ptr<const Rows> rows);
  /// The same where the choice was made already; `all` are the columns to choose from.
  void set_chosen_rows(std::shared_ptr<const Rows> rows, std::vector<report::Column> all);

  /// Lets a person choose, in a dialog.
  void choose();
  const std::vector<report::Column>& columns() const { return all_; }
  const std::string& option() const { return option_; }

 private:
  std::string choice() const;
  std::vector<std::string> shown_keys() const;
  void keep(const std::string& choice);
  void add_actions(QMenu& menu, int column, int row);
  bool can_filter(const report::Column& column) const;
  void filter_by(int column, int row);
  void add_term(const std::string& term);

  TableView& table_;
  Session& session_;
  std::string option_, otherwise_;
  Filter filter_;
  std::shared_ptr<const Rows> rows_;  ///< with all columns; null: the choice was made already
  std::vector<report::Column> all_;
};

}  // namespace lockstep::gui
