#pragma once

#include <QDialog>
#include <set>
#include <string>
#include <vector>

#include "results/report/model.h"

class QLineEdit;
class QListWidget;

namespace lockstep::gui {

/// A checklist of a table's columns, narrowed by some letters of their names. The line keeps the keyboard: Up and Down
/// move in the list, Enter checks and unchecks, Escape closes. What is chosen is told at once.
class ColumnChooser : public QDialog {
  Q_OBJECT
 public:
  /// `shown`: keys of those that the table shows now.
  ColumnChooser(const std::vector<report::Column>& columns, std::set<std::string> shown, QWidget* parent);

 Q_SIGNALS:
  /// What a view keeps (gui/core/column_choice.h).
  void chosen(const QString& choice);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void narrow(const QString& letters);
  void toggle_current();
  void take(class QListWidgetItem* item);
  void show_all();

  std::vector<report::Column> columns_;
  std::set<std::string> shown_;
  QLineEdit* line_;
  QListWidget* list_;
};

}  // namespace lockstep::gui
