#include "gui/widgets/column_filter.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "adapters/contract/failure.h"
#include "gui/core/filter.h"
#include "gui/core/text.h"
#include "results/report/headings.h"

namespace lockstep::gui {
namespace {

struct Operation {
  const char *words, *text;
  bool negated, of_numbers;
};
constexpr Operation kOperations[] = {{"contains", ":", false, false},        {"is", "=", false, false},
                                     {"does not contain", ":", true, false}, {"is not", "=", true, false},
                                     {"is at least", ">=", false, true},     {"is at most", "<=", false, true},
                                     {"is above", ">", false, true},         {"is below", "<", false, true}};

}  // namespace

ColumnFilter::ColumnFilter(const report::Column& column, const QStringList& values, bool numeric, const QString& value,
                           QWidget* parent)
    : QDialog(parent), key_(column.key), operation_(new QComboBox), value_(new QComboBox), problem_(new QLabel) {
  setWindowTitle(qt("Filter by " + report::heading(column)));
  for (size_t i = 0; i < std::size(kOperations); ++i) {
    if (!kOperations[i].of_numbers || numeric) operation_->addItem(kOperations[i].words, static_cast<int>(i));
  }
  operation_->setAccessibleName("Test");
  value_->setEditable(true);
  value_->setInsertPolicy(QComboBox::NoInsert);
  value_->addItems(values);
  value_->setCurrentText(value);
  value_->setAccessibleName("Value");
  value_->setMinimumContentsLength(28);
  if (numeric) problem_->setText(qt("Numbers are raw, as tooltips tell them: " + key_));
  problem_->setWordWrap(true);
  auto* row = new QHBoxLayout;
  row->addWidget(new QLabel(qt(report::heading(column))));
  row->addWidget(operation_);
  row->addWidget(value_, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  auto* all = new QVBoxLayout(this);
  all->addLayout(row);
  all->addWidget(problem_);
  all->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &ColumnFilter::try_term);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  value_->setFocus();
  value_->lineEdit()->selectAll();
}

std::string ColumnFilter::term() const {
  const Operation& operation = kOperations[static_cast<size_t>(operation_->currentData().toInt())];
  return term_text(key_, operation.text, utf8(value_->currentText().trimmed()), operation.negated);
}

void ColumnFilter::try_term() {
  try {
    parse_row_filter(term());
    accept();
  } catch (const Failure& failure) {
    problem_->setText(QString::fromStdString(failure.what()));
    problem_->setMinimumHeight(problem_->heightForWidth(width() - 2 * layout()->contentsMargins().left()));
    adjustSize();
  }
}

}  // namespace lockstep::gui
