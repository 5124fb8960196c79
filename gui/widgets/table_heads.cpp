#include "gui/widgets/table_heads.h"

#include <QMenu>
#include <algorithm>
#include <array>

#include "gui/core/column_choice.h"
#include "gui/core/filter.h"
#include "gui/core/session.h"
#include "gui/core/text.h"
#include "gui/widgets/column_chooser.h"
#include "gui/widgets/column_filter.h"
#include "gui/widgets/table_view.h"
#include "results/report/headings.h"
#include "results/report/values.h"

namespace lockstep::gui {
namespace {

constexpr std::array kOfCells = {"workload", "preset", "system", "strategy", "fabric", "ranks"};
constexpr int kLookedAt = 1000;  // rows whose values are offered
constexpr int kOffered = 100;

}  // namespace

TableHeads::TableHeads(TableView& table, Session& session, std::string option, const char* otherwise, Filter filter)
    : QObject(&table),
      table_(table),
      session_(session),
      option_(std::move(option)),
      otherwise_(otherwise),
      filter_(filter) {
  connect(&table, &TableView::menu_wanted, this,
          [this](QMenu* menu, int column, int row) { add_actions(*menu, column, row); });
  connect(&session, &Session::changed, this, [this](const ViewState& before) {
    if (rows_ && before.option(option_, otherwise_) != choice()) set_rows(rows_);
  });
}

std::string TableHeads::choice() const { return session_.view().option(option_, otherwise_); }

void TableHeads::set_rows(std::shared_ptr<const Rows> rows) {
  rows_ = std::move(rows);
  all_ = rows_->columns();
  table_.set_rows(with_chosen_columns(rows_, choice()));
}

void TableHeads::set_chosen_rows(std::shared_ptr<const Rows> rows, std::vector<report::Column> all) {
  all_ = std::move(all);
  table_.set_rows(std::move(rows));
}

std::vector<std::string> TableHeads::shown_keys() const {
  std::vector<std::string> out;
  for (const report::Column& column : table_.shown().rows().columns()) out.push_back(column.key);
  return out;
}

// What is checked and unchecked one after the other is undone as one.
void TableHeads::keep(const std::string& choice) {
  session_.change([&](ViewState& view) { view.options[option_] = choice; }, qt(option_));
}

void TableHeads::choose() {
  const std::vector<std::string> shown = shown_keys();
  ColumnChooser chooser(all_, {shown.begin(), shown.end()}, &table_);
  connect(&chooser, &ColumnChooser::chosen, this, [this](const QString& choice) { keep(utf8(choice)); });
  chooser.exec();
}

void TableHeads::add_actions(QMenu& menu, int column, int row) {
  menu.addSeparator();
  if (column > 0) {
    const report::Column& head = table_.shown().rows().columns()[static_cast<size_t>(column)];
    menu.addAction(qt("Hide column " + report::heading(head)), this, [this, key = head.key] {
      std::vector<std::string> keys = shown_keys();
      std::erase(keys, key);
      keep(choice_of(all_, {keys.begin(), keys.end()}));
    });
  }
  menu.addAction("Choose columns...", this, &TableHeads::choose);
  menu.addAction("Columns that differ", this, [this] { keep(kDifferingColumns); });
  menu.addAction("All columns", this, [this] { keep(kAllColumns); });
  if (column < 0 || !can_filter(table_.shown().rows().columns()[static_cast<size_t>(column)])) return;
  menu.addSeparator();
  const report::Column& head = table_.shown().rows().columns()[static_cast<size_t>(column)];
  menu.addAction(qt("Filter by " + report::heading(head) + "..."), this,
                 [this, column, row] { filter_by(column, row); });
  if (row < 0) return;
  const QString text = table_.shown().index(row, column).data().toString();
  if (text.isEmpty() || table_.shown().index(row, column).data(TableModel::kNumber).isValid()) return;
  menu.addAction("Only " + text, this, [=, this] { add_term(term_text(head.key, "=", utf8(text))); });
  menu.addAction("Without " + text, this, [=, this] { add_term(term_text(head.key, "=", utf8(text), true)); });
}

bool TableHeads::can_filter(const report::Column& column) const {
  if (filter_ == Filter::all) return true;
  return filter_ == Filter::of_cells &&
         std::any_of(kOfCells.begin(), kOfCells.end(), [&](const char* key) { return column.key == key; });
}

void TableHeads::filter_by(int column, int row) {
  const TableModel& model = table_.shown();
  QStringList values;
  bool numeric = false;
  for (int i = 0; i < std::min(model.rowCount(), kLookedAt) && values.size() < kOffered; ++i) {
    const QModelIndex index = model.index(i, column);
    const QVariant number = index.data(TableModel::kNumber);
    numeric = numeric || number.isValid();
    const QString value = number.isValid() ? qt(report::exact(number.toDouble())) : index.data().toString();
    if (!value.isEmpty() && !values.contains(value)) values << value;
  }
  values.sort();
  const QModelIndex here = model.index(row, column);
  const QVariant number = here.data(TableModel::kNumber);
  const QString now = number.isValid() ? qt(report::exact(number.toDouble())) : here.data().toString();
  ColumnFilter dialog(model.rows().columns()[static_cast<size_t>(column)], values, numeric, now, &table_);
  if (dialog.exec() == QDialog::Accepted) add_term(dialog.term());
}

void TableHeads::add_term(const std::string& term) {
  session_.change([&](ViewState& view) { view.filter = with_term(view.filter, term); });
}

}  // namespace lockstep::gui
