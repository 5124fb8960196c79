#include "gui/core/table_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

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

bool same_columns(const Rows& a, const Rows& b) {
  return std::equal(a.columns().begin(), a.columns().end(), b.columns().begin(), b.columns().end(),
                    [](const auto& x, const auto& y) { return x.key == y.key && x.unit == y.unit; });
}

// The place of each old row among the new ones; nothing where one is gone or has moved before another.
std::optional<std::vector<size_t>> places_of(const Rows& old, const Rows& now) {
  std::vector<size_t> out;
  out.reserve(old.size());
  for (size_t i = 0; i < now.size() && out.size() < old.size(); ++i) {
    if (now.key(i) == old.key(out.size())) out.push_back(i);
  }
  return out.size() == old.size() ? std::make_optional(std::move(out)) : std::nullopt;
}

}  // namespace

template <class Change>
void TableModel::keeping_places(Change change) {
  Q_EMIT layoutAboutToBeChanged();
  const QModelIndexList before = persistentIndexList();
  std::vector<size_t> rows;
  for (const QModelIndex& one : before) rows.push_back(row_at(one.row()));
  const std::vector<size_t> moved = change();  // old row -> new row; empty: as it was
  std::vector<int> place(rows_->size(), -1);
  for (size_t i = 0; i < order_.size(); ++i) place[order_[i]] = static_cast<int>(i);
  QModelIndexList after;
  for (qsizetype i = 0; i < before.size(); ++i) {
    const size_t row = rows[static_cast<size_t>(i)];
    after.append(index(place[moved.empty() ? row : moved[row]], before[i].column()));
  }
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged();
}

void TableModel::set_rows(std::shared_ptr<const Rows> rows) {
  if (same_columns(*rows, *rows_) && rows_->size() > 0) {
    if (const auto places = places_of(*rows_, *rows)) return grow(std::move(rows), *places);
  }
  beginResetModel();
  rows_ = std::move(rows);
  if (sorted_by_ >= static_cast<int>(rows_->columns().size())) sorted_by_ = -1;
  order_ = ordered();
  endResetModel();
}

// The rows that were there take their new numbers and order first; then the others appear among them.
void TableModel::grow(std::shared_ptr<const Rows> rows, const std::vector<size_t>& old_place) {
  std::vector<size_t> wanted;
  keeping_places([&] {
    rows_ = std::move(rows);
    wanted = ordered();
    std::vector<bool> old(rows_->size(), false);
    for (const size_t place : old_place) old[place] = true;
    order_.clear();
    std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(order_), [&](size_t row) { return old[row]; });
    return old_place;
  });
  insert_missing(wanted);
}

void TableModel::insert_missing(const std::vector<size_t>& wanted) {
  for (size_t i = 0; i < wanted.size();) {
    size_t end = i;
    while (end < wanted.size() && (i >= order_.size() || wanted[end] != order_[i])) ++end;
    if (end == i) {
      ++i;
      continue;
    }
    const auto at = static_cast<ptrdiff_t>(i);
    beginInsertRows({}, static_cast<int>(i), static_cast<int>(end) - 1);
    order_.insert(order_.begin() + at, wanted.begin() + at, wanted.begin() + static_cast<ptrdiff_t>(end));
    endInsertRows();
    i = end;
  }
}

report::Table TableModel::shown() const { return to_table(*rows_, order_); }

int TableModel::row_of(const std::string& key) const {
  for (size_t i = 0; i < order_.size(); ++i) {
    if (rows_->key(order_[i]) == key) return static_cast<int>(i);
  }
  return -1;
}

int TableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_->columns().size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const size_t row = row_at(index.row());
  if (role == kKey) return qt(rows_->key(row));
  if (role == kCell) return qt(rows_->cell(row));
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != Qt::TextAlignmentRole &&
      role != Qt::AccessibleTextRole && role != kNumber) {
    return {};
  }
  const report::Column& column = rows_->columns()[static_cast<size_t>(index.column())];
  const report::Value shown = rows_->value(row, static_cast<size_t>(index.column()));
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
    case kNumber:
      return has_number(shown) ? QVariant(shown.estimate.value) : QVariant();
    default:
      return {};
  }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const report::Column& column = rows_->columns()[static_cast<size_t>(section)];
  if (role == Qt::DisplayRole) return qt(report::heading(column));
  if (role != Qt::ToolTipRole) return {};
  std::string text = column.title;
  if (!column.base.empty()) text += "\nagainst " + column.base;
  if (!column.interval.empty()) text += "\n[..]: " + column.interval;
  return qt(text);
}

void TableModel::sort(int column, Qt::SortOrder order) {
  keeping_places([&] {
    sorted_by_ = column < columnCount() ? column : -1;
    direction_ = order;
    order_ = ordered();
    return std::vector<size_t>{};
  });
}

std::vector<size_t> TableModel::ordered() const {
  std::vector<size_t> out(rows_->size());
  std::iota(out.begin(), out.end(), size_t{0});
  if (sorted_by_ < 0) return out;
  const bool down = direction_ == Qt::DescendingOrder;
  std::vector<report::Value> values;  // each made once
  values.reserve(out.size());
  for (size_t i = 0; i < out.size(); ++i) values.push_back(rows_->value(i, static_cast<size_t>(sorted_by_)));
  std::stable_sort(out.begin(), out.end(), [&](size_t a, size_t b) {
    const report::Value &left = values[a], &right = values[b];
    if (has_number(left) != has_number(right)) return has_number(left);
    if (!has_number(left)) return down ? right.text < left.text : left.text < right.text;
    const double x = left.estimate.value, y = right.estimate.value;
    return down ? y < x : x < y;
  });
  return out;
}

}  // namespace lockstep::gui
