#pragma once

#include <QTabWidget>
#include <memory>
#include <optional>
#include <vector>

#include "gui/core/session.h"
#include "gui/core/timeline/comm_matrix.h"

namespace lockstep::gui {

class Choice;
class CommMatrixView;
class TableHeads;
class TableView;

/// What stands below a timeline: the totals of an area, the difference to a second launch, who sends to whom, words
/// about the recordings.
class TimelineTables : public QTabWidget {
  Q_OBJECT
 public:
  explicit TimelineTables(Session& session);

  void set_totals(const report::Table& table, const QString& title);
  /// Nothing: there is no second launch, and no tab.
  void set_diff(const std::optional<report::Table>& table);
  void set_matrix(const timeline::CommMatrix& matrix);
  /// Empty: no tab.
  void set_about(const QString& text);
  /// Of the parts whose tab there is: exactly what is shown.
  std::vector<report::Table> tables() const;
  /// Whether the matrix is seen, so that it is worth computing.
  bool shows_matrix() const;

 Q_SIGNALS:
  /// A row of the totals was opened.
  void opened(const QString& key);

 private:
  QWidget* matrix_part(Session& session);
  void paint_matrix();

  Session& session_;
  TableView *totals_, *diff_, *pairs_;
  TableHeads* heads_;
  CommMatrixView* matrix_;
  Choice* shows_;
  class QLabel *words_, *about_;
  QWidget* matrix_tab_;
};

}  // namespace lockstep::gui
