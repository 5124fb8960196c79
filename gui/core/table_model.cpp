#include "gui/core/table_model.h"

#include <algorithm>
#include <numeric>

#include "gui/core/text.h"
#include "results/report/figures.h"
#include "results/report/headings.h"
#include "results/report/values.h"

namespace lockstep::gui {
namespace {

bool has_number(const report::Value& value) { return value.numeric && value.missing.empty(); }

QString tip_of(const report::Column& column, const report::Value& value) {
  if (!value.missing.empty()) return qt(column.title + ": " + value.missing);
  if (!value.numeric) return qt(value.text);
  std::string text = column.key + " = " + report::exact(value.estimate.value);
  if (value.estimate.level > 0) {
    text += fmt::format("\n{} interval [{}, {}], n = {}", report::percent(value.estimate.level),
                        report::exact(value.estimate.low), report::exact(value.estimate.high), value.estimate.n);
  }
  if (!column.base.empty()) text += "\nagainst " + column.base;
  return qt(text);
}

std::vector<std::string> keys_of(const report::Table& table) {
  std::vector<std::string> out;
  for (const report::Column& column : table.columns) out.push_back(column.key + "\n" + column.unit);
  return out;
}

std::vector<std::string> cells_of(const report::Table& table) {
  std::vector<std::string> out;
  for (const report::Row& row : table.rows) out.push_back(row.cell);
  return out;
}

}  // namespace

void TableModel::set_table(report::Table table) {
  const bool same_shape = keys_of(table) == keys_of(table_) && cells_of(table) == cells_of(table_);
  if (same_shape && sorted_by_ < 0) {  // what a person looks at stays where it is
    table_ = std::move(table);
    if (!table_.rows.empty() && !table_.columns.empty()) {
      Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
    return;
  }
  if (same_shape) {
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<size_t> rows;
    for (const QModelIndex& one : before) rows.push_back(order_[static_cast<size_t>(one.row())]);
    table_ = std::move(table);
    order_rows();
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
      const auto at = std::find(order_.begin(), order_.end(), rows[static_cast<size_t>(i)]) - order_.begin();
      after.append(index(static_cast<int>(at), before[i].column()));
    }
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
    return;
  }
  beginResetModel();
  table_ = std::move(table);
  if (sorted_by_ >= static_cast<int>(table_.columns.size())) sorted_by_ = -1;
  order_rows();
  endResetModel();
}

report::Table TableModel::shown() const {
  report::Table out = table_;
  out.rows.clear();
  for (const size_t row : order_) out.rows.push_back(table_.rows[row]);
  return out;
}

int TableModel::row_of(const std::string& cell) const {
  for (size_t i = 0; i < order_.size(); ++i) {
    if (table_.rows[order_[i]].cell == cell) return static_cast<int>(i);
  }
  return -1;
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

const report::Value& TableModel::value(const QModelIndex& index) const {
  return table_.rows[order_[static_cast<size_t>(index.row())]].values[static_cast<size_t>(index.column())];
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const report::Column& column = table_.columns[static_cast<size_t>(index.column())];
  const report::Value& shown = value(index);
  switch (role) {
    case Qt::DisplayRole:
      return qt(report::shown(shown));
    case Qt::ToolTipRole:
      return tip_of(column, shown);
    case Qt::TextAlignmentRole:
      return shown.numeric ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter))
                           : QVariant(int(Qt::AlignLeft | Qt::AlignVCenter));
    case Qt::AccessibleTextRole:
      return qt(column.title + ": " + report::shown(shown));
    case kCell:
      return qt(table_.rows[order_[static_cast<size_t>(index.row())]].cell);
    case kNumber:
      return has_number(shown) ? QVariant(shown.estimate.value) : QVariant();
    default:
      return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const report::Column& column = table_.columns[static_cast<size_t>(section)];
  if (role == Qt::DisplayRole) return qt(report::heading(column));
  if (role != Qt::ToolTipRole) return {};
  std::string text = column.title;
  if (!column.base.empty()) text += "\nagainst " + column.base;
  if (!column.interval.empty()) text += "\n[..]: " + column.interval;
  return qt(text);
}

void TableModel::sort(int column, Qt::SortOrder order) {
  Q_EMIT layoutAboutToBeChanged();
  const QModelIndexList before = persistentIndexList();
  std::vector<size_t> rows;
  for (const QModelIndex& one : before) rows.push_back(order_[static_cast<size_t>(one.row())]);
  sorted_by_ = column < columnCount() ? column : -1;
  direction_ = order;
  order_rows();
  std::vector<int> place(order_.size());
  for (size_t i = 0; i < order_.size(); ++i) place[order_[i]] = static_cast<int>(i);
  QModelIndexList after;
  for (qsizetype i = 0; i < before.size(); ++i) {
    after.append(index(place[rows[static_cast<size_t>(i)]], before[i].column()));
  }
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged();
}

void TableModel::order_rows() {
  order_.resize(table_.rows.size());
  std::iota(order_.begin(), order_.end(), size_t{0});
  if (sorted_by_ < 0) return;
  const bool down = direction_ == Qt::DescendingOrder;
  const auto column = static_cast<size_t>(sorted_by_);
  std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
    const report::Value& left = table_.rows[a].values[column];
    const report::Value& right = table_.rows[b].values[column];
    if (has_number(left) != has_number(right)) return has_number(left);
    if (!has_number(left)) return down ? right.text < left.text : left.text < right.text;
    const double x = left.estimate.value, y = right.estimate.value;
    return down ? y < x : x < y;
  });
}

}  // namespace lockstep::gui
