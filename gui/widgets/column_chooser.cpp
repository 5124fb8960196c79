#include "gui/widgets/column_chooser.h"

#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/core/column_choice.h"
#include "gui/core/text.h"
#include "results/report/headings.h"

namespace lockstep::gui {

ColumnChooser::ColumnChooser(const std::vector<report::Column>& columns, std::set<std::string> shown, QWidget* parent)
    : QDialog(parent), columns_(columns), shown_(std::move(shown)), line_(new QLineEdit), list_(new QListWidget) {
  setWindowTitle("Columns");
  resize(380, 460);
  line_->setPlaceholderText("Type a few letters; Enter checks and unchecks");
  line_->setAccessibleName("Letters of a column");
  list_->setAccessibleName("Columns");
  for (const report::Column& column : columns_) {
    auto* item = new QListWidgetItem(qt(report::heading(column)), list_);
    item->setToolTip(qt(column.key));
    const bool first = &column == &columns_.front();  // names the row
    item->setFlags(first ? Qt::ItemIsSelectable | Qt::ItemIsEnabled
                         : Qt::ItemIsSelectable | Qt::ItemIsEnabled | Qt::ItemIsUserCheckable);
    item->setCheckState(first || shown_.contains(column.key) ? Qt::Checked : Qt::Unchecked);
  }
  list_->setCurrentRow(0);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  QPushButton* all = buttons->addButton("&All", QDialogButtonBox::ActionRole);
  QPushButton* differing = buttons->addButton("Those that &differ", QDialogButtonBox::ActionRole);
  for (QAbstractButton* button : buttons->buttons()) static_cast<QPushButton*>(button)->setAutoDefault(false);
  auto* column = new QVBoxLayout(this);
  column->addWidget(line_);
  column->addWidget(list_, 1);
  column->addWidget(buttons);
  line_->installEventFilter(this);
  connect(line_, &QLineEdit::textChanged, this, &ColumnChooser::narrow);
  connect(list_, &QListWidget::itemChanged, this, &ColumnChooser::take);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(all, &QPushButton::clicked, this, &ColumnChooser::show_all);
  connect(differing, &QPushButton::clicked, this, [this] {
    Q_EMIT chosen(kDifferingColumns);
    accept();
  });
  line_->setFocus();
}

void ColumnChooser::narrow(const QString& letters) {
  int first = -1;
  for (int i = 0; i < list_->count(); ++i) {
    QListWidgetItem* item = list_->item(i);
    const bool fits =
        item->text().contains(letters, Qt::CaseInsensitive) || item->toolTip().contains(letters, Qt::CaseInsensitive);
    item->setHidden(!fits);
    if (fits && first < 0) first = i;
  }
  if (list_->currentItem() == nullptr || list_->currentItem()->isHidden()) list_->setCurrentRow(first);
}

void ColumnChooser::toggle_current() {
  QListWidgetItem* item = list_->currentItem();
  if (item == nullptr || item->isHidden() || !item->flags().testFlag(Qt::ItemIsUserCheckable)) return;
  item->setCheckState(item->checkState() == Qt::Checked ? Qt::Unchecked : Qt::Checked);
}

void ColumnChooser::take(QListWidgetItem* item) {
  const std::string key = columns_[static_cast<size_t>(list_->row(item))].key;
  if (item->checkState() == Qt::Checked) {
    shown_.insert(key);
  } else {
    shown_.erase(key);
  }
  Q_EMIT chosen(qt(choice_of(columns_, shown_)));
}

void ColumnChooser::show_all() {
  const QSignalBlocker quiet(list_);
  for (int i = 0; i < list_->count(); ++i) list_->item(i)->setCheckState(Qt::Checked);
  for (const report::Column& column : columns_) shown_.insert(column.key);
  Q_EMIT chosen(kAllColumns);
}

bool ColumnChooser::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key == Qt::Key_Return || key == Qt::Key_Enter) {
    toggle_current();
    return true;
  }
  const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
  if (step == 0) return QDialog::eventFilter(watched, event);
  int row = list_->currentRow() + step;
  while (row >= 0 && row < list_->count() && list_->item(row)->isHidden()) row += step;
  if (row >= 0 && row < list_->count()) list_->setCurrentRow(row);
  return true;
}

}  // namespace lockstep::gui
