// Choosing columns, and filters from a column's head.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalSpy>
#include <QTest>

#include "gui/core/column_choice.h"
#include "gui/core/text.h"
#include "gui/widgets/column_chooser.h"
#include "gui/widgets/column_filter.h"
#include "gui/widgets/table_view.h"
#include "results/report/tables.h"
#include "results/report/values.h"
#include "tests/gui/fixture.h"

namespace lockstep::gui {
namespace {

using fixture::fixture_store;
using fixture::Shown;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

TableRows three_columns() {
  report::Table table;
  table.columns = {report::name_column("cell", "cell"), report::name_column("system", "system"),
                   report::count_column("ranks", "ranks")};
  for (const char* name : {"a", "b"}) {
    table.rows.push_back({name, {report::text_value(name), report::text_value("same"), report::count_value(name[0])}});
  }
  return TableRows(std::move(table));
}

TEST(ColumnChoice, KeepsTheTablesOrderAndTheFirstColumn) {
  const TableRows rows = three_columns();
  EXPECT_THAT(chosen_columns(rows, kAllColumns), ElementsAre(0, 1, 2));
  EXPECT_THAT(chosen_columns(rows, kDifferingColumns), ElementsAre(0, 2));
  EXPECT_THAT(chosen_columns(rows, "only ranks"), ElementsAre(0, 2));
  EXPECT_THAT(chosen_columns(rows, "only ranks system"), ElementsAre(0, 1, 2));
  EXPECT_THAT(chosen_columns(rows, "only what another table has"), ElementsAre(0, 1, 2));
}

TEST(ColumnChoice, LaunchesThatAllFailedAlikeSayWhy) {
  for (const auto& [status, columns] :
       {std::pair{"failed", std::vector<size_t>{0, 2, 3}}, std::pair{"finished", std::vector<size_t>{0}}}) {
    report::Table table;
    table.columns = {report::name_column("launch", "launch"), report::name_column("system", "system"),
                     report::name_column("status", "status"), report::name_column("error_kind", "error")};
    for (const char* name : {"a", "b"}) {
      table.rows.push_back({name,
                            {report::text_value(name), report::text_value("same"), report::text_value(status),
                             report::text_value("crashed")}});
    }
    EXPECT_EQ(chosen_columns(TableRows(std::move(table)), kDifferingColumns), columns) << status;
  }
}

TEST(ColumnChoice, IsTextThatReadsBack) {
  const TableRows rows = three_columns();
  EXPECT_EQ(choice_of(rows.columns(), {"ranks"}), "only cell ranks");
  EXPECT_EQ(choice_of(rows.columns(), {"system", "ranks"}), kAllColumns);
  EXPECT_THAT(keys_of("only cell ranks"), ElementsAre("cell", "ranks"));
  EXPECT_TRUE(keys_of(kAllColumns).empty());
}

TEST(ColumnChooser, IsUsedByKeyboardAlone) {
  ColumnChooser chooser(three_columns().columns(), {"cell", "system", "ranks"}, nullptr);
  const QSignalSpy told(&chooser, &ColumnChooser::chosen);
  auto* line = chooser.findChild<QLineEdit*>();
  QTest::keyClicks(line, "sys");
  QTest::keyClick(line, Qt::Key_Return);
  ASSERT_EQ(told.count(), 1);
  EXPECT_EQ(told.back().front().toString(), "only cell ranks");
  line->clear();
  for (int i = 0; i < 5; ++i) QTest::keyClick(line, Qt::Key_Up);
  QTest::keyClick(line, Qt::Key_Return);
  EXPECT_EQ(told.count(), 1) << "the first column stays";
  QTest::keyClick(line, Qt::Key_Down);
  QTest::keyClick(line, Qt::Key_Return);
  EXPECT_EQ(told.back().front().toString(), kAllColumns);
}

TEST(ColumnFilter, MakesATermAndRefusesAWrongOneInWords) {
  ColumnFilter dialog(three_columns().columns()[2], {"1", "2"}, true, "2", nullptr);
  EXPECT_EQ(dialog.term(), "ranks:2");
  auto* operation = dialog.findChildren<QComboBox*>().front();
  operation->setCurrentText("is at least");
  EXPECT_EQ(dialog.term(), "ranks>=2");
  dialog.show();
  QSignalSpy accepted(&dialog, &QDialog::accepted);
  dialog.findChildren<QComboBox*>().back()->setCurrentText("two");
  QTest::keyClick(&dialog, Qt::Key_Return);
  EXPECT_EQ(accepted.count(), 0);
  dialog.findChildren<QComboBox*>().back()->setCurrentText("4");
  QTest::keyClick(&dialog, Qt::Key_Return);
  EXPECT_EQ(accepted.count(), 1);
}

std::vector<std::string> keys_shown(const Shown& shown) {
  const report::Table table = shown.page->tables().front();
  std::vector<std::string> out;
  for (const report::Column& column : table.columns) out.push_back(column.key);
  return out;
}

/// The action of a table's context menu whose text begins so, of a head (row -1) or a row.
void trigger(TableView& table, const QString& text, int column, int row) {
  QMenu menu;
  Q_EMIT table.menu_wanted(&menu, column, row);
  for (QAction* action : menu.actions()) {
    if (action->text().startsWith(text)) return action->trigger();
  }
  ADD_FAILURE() << "no action " << text.toStdString();
}

int column_of(const TableView& table, const std::string& key) {
  const auto& columns = table.shown().rows().columns();
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].key == key) return static_cast<int>(i);
  }
  return -1;
}

/// The one that the first exported table is of.
TableView& first_table(const Shown& shown) {
  const std::string title = shown.page->tables().front().title;
  for (TableView* table : shown.page->findChildren<TableView*>()) {
    if (table->shown().rows().title() == title) return *table;
  }
  throw std::runtime_error("no table " + title);
}

class HeadsOfAPage : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Pages, HeadsOfAPage, ::testing::Values("launches", "compare", "scaling", "strategies"));

TEST_P(HeadsOfAPage, HideAColumnForTheExportTooAndBringItBackByUndo) {
  ViewState view;
  view.campaign = "@1";
  Shown shown(GetParam(), fixture_store(), view);
  const std::vector<std::string> before = keys_shown(shown);
  ASSERT_GE(before.size(), 3u);
  trigger(first_table(shown), "Hide column", 2, -1);
  ASSERT_TRUE(shown.wait());
  EXPECT_THAT(keys_shown(shown), Not(Contains(before[2])));
  EXPECT_EQ(keys_shown(shown).size(), before.size() - 1);
  shown.session.undo();
  ASSERT_TRUE(shown.wait());
  EXPECT_EQ(keys_shown(shown), before);
}

TEST(Heads, AddToTheFilterWhatARowHas) {
  ViewState view;
  view.campaign = "@1", view.filter = "gpt", view.options["launches.columns"] = "all";
  Shown shown("launches", fixture_store(), view);
  auto* table = shown.page->findChild<TableView*>();
  const int column = column_of(*table, "system");
  const std::string system = utf8(table->shown().index(0, column).data().toString());
  trigger(*table, "Without", column, 0);
  EXPECT_EQ(shown.session.view().filter, "gpt -system=" + system);
  ASSERT_TRUE(shown.wait());
  const report::Table left = shown.page->tables().front();
  ASSERT_FALSE(left.rows.empty());
  for (const report::Row& row : left.rows) {
    EXPECT_NE(row.values[static_cast<size_t>(column)].text, system);
  }
}

}  // namespace
}  // namespace lockstep::gui
