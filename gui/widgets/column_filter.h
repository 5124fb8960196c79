#pragma once

#include <QDialog>
#include <string>

#include "results/report/model.h"

class QComboBox;
class QLabel;

namespace lockstep::gui {

/// Asks for a term of the filter on one column. Enter adds it; what is wrong is said in words.
class ColumnFilter : public QDialog {
  Q_OBJECT
 public:
  /// `values`: texts of the column, to choose from or to type over; `numeric`: it has numbers to compare.
  ColumnFilter(const report::Column& column, const QStringList& values, bool numeric, const QString& value,
               QWidget* parent);

  /// "system:pytorch"
  std::string term() const;

 private:
  void try_term();

  std::string key_;
  QComboBox *operation_, *value_;
  QLabel* problem_;
};

}  // namespace lockstep::gui
