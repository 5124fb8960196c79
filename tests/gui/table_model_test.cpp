#include "gui/core/table_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <cmath>

#include "results/report/tables.h"
#include "results/report/values.h"

namespace lockstep::gui {
namespace {

report::Table table(const std::vector<std::pair<std::string, double>>& rows) {
  report::Table out;
  out.columns = {report::name_column("cell", "cell"), report::count_column("step_s", "step")};
  for (const auto& [name, value] : rows) {
    out.rows.push_back({name, {report::text_value(name), report::number_value(value)}});
  }
  return out;
}

std::vector<std::string> order_of(const TableModel& model) {
  std::vector<std::string> out;
  for (const report::Row& row : model.shown().rows) out.push_back(row.cell);
  return out;
}

class TableModelTest : public testing::Test {
 protected:
  TableModel model;
  QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

using testing::ElementsAre;

TEST_F(TableModelTest, SortsByNumberWithMissingOnesLast) {
  model.set_table(table({{"a", 10}, {"b", std::nan("")}, {"c", 9}}));
  model.sort(1, Qt::AscendingOrder);
  EXPECT_THAT(order_of(model), ElementsAre("c", "a", "b"));
  model.sort(1, Qt::DescendingOrder);
  EXPECT_THAT(order_of(model), ElementsAre("a", "c", "b"));
  model.sort(-1, Qt::AscendingOrder);
  EXPECT_THAT(order_of(model), ElementsAre("a", "b", "c"));
}

TEST_F(TableModelTest, NewNumbersKeepWhatIsChosen) {
  model.set_table(table({{"a", 1}, {"b", 2}, {"c", 3}}));
  model.sort(1, Qt::AscendingOrder);
  const QPersistentModelIndex chosen = model.index(0, 1);
  model.set_table(table({{"a", 5}, {"b", 2}, {"c", 3}}));
  EXPECT_THAT(order_of(model), ElementsAre("b", "c", "a"));
  EXPECT_EQ(chosen.data(TableModel::kKey).toString(), "a");
  EXPECT_EQ(chosen.data(TableModel::kNumber).toDouble(), 5);
}

TEST_F(TableModelTest, NewRowsAppearAmongTheOthersAndMoveNoChoice) {
  model.set_table(table({{"a", 4}, {"b", 2}, {"c", 3}}));
  model.sort(1, Qt::AscendingOrder);
  const QPersistentModelIndex chosen = model.index(2, 1);
  int resets = 0, inserted = 0;
  QObject::connect(&model, &QAbstractItemModel::modelReset, [&] { ++resets; });
  QObject::connect(&model, &QAbstractItemModel::rowsInserted,
                   [&](const QModelIndex&, int first, int last) { inserted += last - first + 1; });
  model.set_table(table({{"x", 1}, {"a", 5}, {"y", 2.5}, {"z", 2.75}, {"b", 7}, {"c", 3}, {"w", 9}}));
  EXPECT_THAT(order_of(model), ElementsAre("x", "y", "z", "c", "a", "b", "w"));
  EXPECT_EQ(resets, 0);
  EXPECT_EQ(inserted, 4);
  EXPECT_EQ(chosen.data(TableModel::kKey).toString(), "a");
  EXPECT_EQ(chosen.data(TableModel::kNumber).toDouble(), 5);
  model.set_table(table({{"x", 1}, {"a", 5}}));  // rows that are gone
  EXPECT_EQ(resets, 1);
  EXPECT_FALSE(chosen.isValid());
}

TEST_F(TableModelTest, OtherRowsAndColumnsReset) {
  model.set_table(table({{"a", 1}, {"b", 2}}));
  model.sort(1, Qt::DescendingOrder);
  model.set_table(table({{"a", 1}, {"b", 2}, {"z", 9}}));
  EXPECT_THAT(order_of(model), ElementsAre("z", "b", "a"));
  report::Table narrow = table({{"q", 1}});
  narrow.columns.pop_back(), narrow.rows[0].values.pop_back();
  model.set_table(narrow);
  EXPECT_EQ(model.columnCount(), 1);
  model.set_table({});
  EXPECT_EQ(model.rowCount(), 0);
}

TEST_F(TableModelTest, TooltipsTellTheRawNumberAndItsInterval) {
  report::Table one = table({{"a", 1}});
  stats::Estimate& estimate = one.rows[0].values[1].estimate;
  estimate.value = 0.0123456, estimate.low = 0.0121, estimate.high = 0.0126, estimate.level = 0.969, estimate.n = 6;
  model.set_table(one);
  const std::string tip = model.index(0, 1).data(Qt::ToolTipRole).toString().toStdString();
  EXPECT_THAT(tip, testing::HasSubstr("step_s = 0.0123456"));
  EXPECT_THAT(tip, testing::HasSubstr("96.9 % interval [0.0121, 0.0126], n = 6"));
}

}  // namespace
}  // namespace lockstep::gui
