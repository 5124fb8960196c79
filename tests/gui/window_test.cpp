// The whole window; with the display server of the machine where there is one (gui_test.UnderXvfb).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QScreen>
#include <QSettings>
#include <QTest>

#include "gui/core/text.h"
#include "gui/widgets/command_palette.h"
#include "gui/widgets/main_window.h"
#include "gui/widgets/page_table.h"
#include "gui/widgets/render.h"
#include "gui/widgets/table_view.h"
#include "tests/gui/fixture.h"
#include "tests/results/store_records.h"

namespace lockstep::gui {
namespace {

using fixture::fixture_store;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Shown and with the keyboard: a display server without a window manager gives it only to who asks.
bool active(QWidget& window) {
  window.show();
  if (!QTest::qWaitForWindowExposed(&window)) return false;
  window.activateWindow();
  return QTest::qWaitForWindowActive(&window);
}

TEST(Window, VisitsEveryPageByKeyboard) {
  MainWindow window(fixture_store());
  ASSERT_TRUE(active(window));
  int number = 0;
  for (const PageRow& row : pages()) {
    ++number;
    QTest::keyClick(&window, static_cast<Qt::Key>(Qt::Key_0 + number), Qt::ControlModifier);
    EXPECT_EQ(window.session().view().page, row.id);
    EXPECT_TRUE(QTest::qWaitFor([&] { return window.page()->ready(); }, 20'000)) << row.id;
    EXPECT_FALSE(window.grab().isNull());
  }
  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(window.session().view().page, std::string(pages()[pages().size() - 2].id));
}

TEST(Window, TakesAFilterAndRefusesAWrongOneInWords) {
  MainWindow window(fixture_store());
  ASSERT_TRUE(active(window));
  QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
  auto* line = window.findChild<QLineEdit*>();
  QLineEdit* filter = nullptr;
  for (QLineEdit* one : window.findChildren<QLineEdit*>()) {
    if (one->accessibleName() == "Filter") filter = one;
  }
  ASSERT_NE(line, nullptr);
  ASSERT_NE(filter, nullptr);
  QTest::keyClicks(filter, "system:pytorch");
  QTest::keyClick(filter, Qt::Key_Return);
  EXPECT_EQ(window.session().view().filter, "system:pytorch");
  filter->setText("ranks>=two");
  QTest::keyClick(filter, Qt::Key_Return);
  EXPECT_EQ(window.session().view().filter, "system:pytorch");
  EXPECT_THAT(filter->toolTip().toStdString(), HasSubstr("a number"));
}

TEST(Window, KeysOfTheMenusWorkInTextFields) {
  MainWindow window(fixture_store());
  ASSERT_TRUE(active(window));
  QAction* dark = nullptr;
  for (QAction* action : window.findChildren<QAction*>()) {
    if (action->shortcut() == QKeySequence("Ctrl+D")) dark = action;
  }
  ASSERT_NE(dark, nullptr);
  QLineEdit* filter = nullptr;
  for (QLineEdit* one : window.findChildren<QLineEdit*>()) {
    if (one->accessibleName() == "Filter") filter = one;
  }
  ASSERT_NE(filter, nullptr);
  filter->setFocus();
  QTest::keyClicks(filter, "gpt");
  const bool before = dark->isChecked();
  QTest::keyClick(filter, Qt::Key_D, Qt::ControlModifier);  // in a text field of X11: deletes a letter
  EXPECT_NE(dark->isChecked(), before);
  EXPECT_EQ(filter->text(), "gpt");
  QTest::keyClick(filter, Qt::Key_Z, Qt::ControlModifier);
  EXPECT_EQ(filter->text(), "") << "undo is the text's own";
}

QStringList palette_finds(const MainWindow& window, const QString& typed) {
  CommandPalette palette(window.all_actions(), nullptr);
  palette.findChild<QLineEdit*>()->setText(typed);
  QStringList out;
  auto* list = palette.findChild<QListWidget*>();
  for (int i = 0; i < list->count(); ++i) out << list->item(i)->text();
  return out;
}

TEST(Window, ThePaletteFindsPagesByOtherWordsToo) {
  const MainWindow window(fixture_store());
  const std::pair<const char*, const char*> cases[] = {{"conv", "Statistical efficiency"},
                                                       {"loss", "Statistical efficiency"},
                                                       {"amdahl", "Scaling"},
                                                       {"trace", "Timeline"},
                                                       {"regress", "Compare"},
                                                       {"runs", "Launches"},
                                                       {"verdict", "Overview"},
                                                       {"pipeline", "Strategies"},
                                                       {"scal", "Scaling"}};
  for (const auto& [typed, title] : cases) {
    const QStringList found = palette_finds(window, typed);
    ASSERT_FALSE(found.isEmpty()) << typed;
    EXPECT_THAT(found.first().toStdString(), HasSubstr(title)) << typed;
  }
}

TEST(Window, BPinsTheCellOfAChosenLaunch) {
  MainWindow window(fixture_store());
  ASSERT_TRUE(active(window));
  window.session().change([](ViewState& view) { view.page = "launches", view.campaign = "@1"; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return window.page()->ready(); }, 20'000));
  auto* table = window.page()->findChild<TableView*>();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(3, 0)).center());
  ASSERT_EQ(window.session().view().launch, "@1.4");
  QTest::keyClick(table, Qt::Key_B);
  EXPECT_EQ(window.session().view().base, "mlp-fashion:tiny reference dp2 on threads");
}

TEST(Window, ItsFirstSizeFitsTheScreen) {
  EXPECT_EQ(first_size({1920, 1050}), QSize(1280, 800));
  const QSize small = first_size({1366, 720});
  EXPECT_LT(small.height(), 720);
  EXPECT_EQ(small.width(), 1280);
  EXPECT_LT(first_size({1024, 600}).width(), 1024);
  const MainWindow window(fixture_store());
  EXPECT_EQ(window.size(), first_size(window.screen()->availableSize()));
  EXPECT_LE(window.minimumSizeHint().height(), 680) << "it can be as low as a screen of 720";
  EXPECT_LE(window.minimumSizeHint().width(), 1280);
}

TEST(Window, APictureOfItIsTheSameWhateverSomebodyHasArranged) {
  const store::testing::Folder folder;
  Rendering picture;
  picture.store = fixture_store(), picture.view.page = "launches", picture.view.campaign = "@1";
  picture.window = true, picture.size = {1000, 600}, picture.file = folder.file("before.png");
  render(picture);
  {
    MainWindow window(fixture_store());
    for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
      if (dock->objectName() == "pages") dock->hide();
    }
    window.resize(700, 500);
    window.close();  // keeps it
  }
  ASSERT_TRUE(QSettings().contains("window/docks"));
  picture.file = folder.file("after.png");
  render(picture);
  QSettings().clear();
  EXPECT_EQ(QImage(qt(folder.file("before.png"))), QImage(qt(folder.file("after.png"))));
}

/// As somebody sees it who has just run something for the first time.
TEST(Window, ShowsOnEveryPageWhatAShortSuiteHasJustMade) {
  const store::testing::Folder folder;
  fixture::run_lockstep(
      {"run", "-w", "mlp-digits:micro,data=synthetic", "-s", "serial", "-s", "pp2/1f1b:m=2", "-n", "2", "--profile"},
      folder.path().string());
  MainWindow window(folder.file());
  ASSERT_TRUE(active(window));
  for (const PageRow& row : pages()) {
    window.session().change([&](ViewState& view) { view.page = row.id; });
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.page()->ready(); }, 20'000)) << row.id;
    EXPECT_THAT(window.page()->words().toStdString(), Not(HasSubstr("internal"))) << row.id;
    const std::vector<report::Table> tables = window.page()->tables();
    ASSERT_THAT(tables, Not(IsEmpty())) << row.id << window.page()->words().toStdString();
    const bool compares =
        std::string(row.id) == "compare";  // one system, one campaign: there is nothing to compare with
    EXPECT_EQ(tables.front().rows.empty(), compares) << row.id << ": " << window.page()->words().toStdString();
    EXPECT_FALSE(window.grab().isNull());
  }
}

}  // namespace
}  // namespace lockstep::gui
