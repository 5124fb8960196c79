// What a person sees first: the program itself as a process, and the window without a store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QProcess>
#include <QPushButton>
#include <QTest>

#include "gui/core/text.h"
#include "gui/widgets/start_window.h"
#include "tests/gui/fixture.h"
#include "tests/results/store_records.h"

namespace lockstep::gui {
namespace {

using store::testing::Folder;
using ::testing::HasSubstr;

/// lockstep-gui in a folder, without a display and without anybody's settings.
struct Started : QProcess {
  Started(const Folder& folder, const QStringList& arguments, const char* named = "") {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("XDG_CONFIG_HOME", qt(folder.path().string()));
    environment.insert("LOCKSTEP_STORE", named);
    setProcessEnvironment(environment);
    setWorkingDirectory(qt(folder.path().string()));
    start(QString(LOCKSTEP_BIN_DIR) + "/lockstep-gui", arguments);
    EXPECT_TRUE(waitForStarted());
  }
  ~Started() override {
    kill();
    waitForFinished();
  }

  /// 0 and nothing said where it goes on.
  std::pair<int, std::string> ended(int within_ms) {
    const bool over = waitForFinished(within_ms);
    return {over ? exitCode() : 0, readAllStandardError().toStdString()};
  }
};

constexpr int kLongMs = 20'000, kStaysMs = 1500;

TEST(Start, WithoutAnyStoreTheWindowStaysAndSaysNothingOnTheTerminal) {
  const Folder folder;
  Started program(folder, {});
  const auto [code, words] = program.ended(kStaysMs);
  EXPECT_EQ(program.state(), QProcess::Running) << code << words;
  EXPECT_THAT(words, testing::Not(HasSubstr("lockstep-gui:")));
}

TEST(Start, ANamedStoreThatIsNotThereIsRefusedInWordsAndByTheExitCode) {
  const Folder folder;
  Started by_argument(folder, {"none.db"}), by_variable(folder, {}, "other.db");
  for (auto [program, name] : {std::pair(&by_argument, "none.db"), std::pair(&by_variable, "other.db")}) {
    const auto [code, words] = program->ended(kLongMs);
    EXPECT_EQ(code, 2) << words;
    EXPECT_THAT(words, HasSubstr(name));
    EXPECT_THAT(words, HasSubstr("no results store here"));
  }
}

TEST(Start, APictureWithoutAStoreIsRefused) {
  const Folder folder;
  Started program(folder, {"--render", "overview", "--out", "o.png"});
  const auto [code, words] = program.ended(kLongMs);
  EXPECT_EQ(code, 2) << words;
  EXPECT_THAT(words, HasSubstr("lockstep.db"));
}

TEST(StartWindow, SaysWhatIsMissingHowToMakeItAndOffersToOpenOne) {
  StartWindow window("/data/runs", "/gone/lockstep.db");
  window.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
  std::string words;
  for (const QLabel* label : window.findChildren<QLabel*>()) words += utf8(label->text()) + "\n";
  for (const char* part :
       {"no results store", "/data/runs", "/gone/lockstep.db", "./quickstart", "lockstep run", "File"}) {
    EXPECT_THAT(words, HasSubstr(part));
  }
  auto* button = window.findChild<QPushButton*>();
  ASSERT_NE(button, nullptr);
  EXPECT_TRUE(button->isVisible());
  EXPECT_THAT(button->text().toStdString(), HasSubstr("Open store"));
  EXPECT_NE(button->focusPolicy(), Qt::NoFocus);
}

}  // namespace
}  // namespace lockstep::gui
