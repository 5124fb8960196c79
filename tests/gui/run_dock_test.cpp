#include "gui/widgets/run_dock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QFileInfo>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTest>

#include "gui/core/text.h"
#include "gui/widgets/notes_dock.h"
#include "results/store/store.h"
#include "tests/results/store_records.h"

namespace lockstep::gui {
namespace {

using store::testing::Folder;

constexpr int kPatienceMs = 60'000;

/// A dock on a store of its own. The child works in the store's folder.
struct Dock {
  Folder folder;
  RunDock dock{folder.file(), nullptr};
  QSignalSpy failed{&dock, &RunDock::failed};

  bool ended() {
    return QTest::qWaitFor([&] { return !dock.running(); }, kPatienceMs);
  }
  QString said() const { return dock.findChild<QPlainTextEdit*>()->toPlainText(); }
  std::vector<store::CampaignRow> campaigns() const {
    return store::Store::open(folder.file(), store::OpenMode::read_only).campaigns();
  }
};

const QStringList kRun{"run", "-w", "mlp-digits:micro,data=synthetic", "--no-verify", "--no-profile"};

TEST(RunDock, RunsASuiteTagsItAndShowsWhatIsSaid) {
  Dock one;
  one.dock.run(kRun + QStringList{"-n", "1"});
  EXPECT_TRUE(one.dock.running());
  one.dock.run({"list"});  // one at a time, in words
  ASSERT_EQ(one.failed.count(), 1);
  EXPECT_THAT(one.failed[0][0].toString().toStdString(), testing::HasSubstr("runs already"));
  ASSERT_TRUE(one.ended());
  EXPECT_EQ(one.failed.count(), 1) << one.said().toStdString();
  ASSERT_EQ(one.campaigns().size(), 1u) << one.said().toStdString();
  EXPECT_EQ(one.campaigns()[0].status, store::CampaignStatus::finished);
  one.dock.run({"tag", "before-upgrade", "@1"});
  ASSERT_TRUE(one.ended());
  EXPECT_THAT(one.campaigns()[0].tags, testing::ElementsAre("before-upgrade"));
}

TEST(RunDock, StopsAsCtrlCDoesAndKeepsWhatWasMeasured) {
  Dock one;
  one.dock.run(kRun + QStringList{"-n", "500"});
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return one.said().contains("[  2/500]") || one.said().contains("[2/500]"); }, kPatienceMs))
      << one.said().toStdString();
  one.dock.stop();
  ASSERT_TRUE(one.ended());
  EXPECT_THAT(one.said().toStdString(), testing::HasSubstr("--resume"));
  ASSERT_EQ(one.campaigns().size(), 1u);
  EXPECT_EQ(one.campaigns()[0].status, store::CampaignStatus::interrupted);
  store::Store store = store::Store::open(one.folder.file(), store::OpenMode::read_only);
  EXPECT_GE(store.launches({{}, {}, {}, store::LaunchStatus::finished}).size(), 2u);
}

TEST(RunDock, AWrongCommandIsRefusedInTheCommandsWords) {
  Dock one;
  one.dock.run({"run", "no-such-suite"});
  ASSERT_TRUE(one.ended());
  ASSERT_EQ(one.failed.count(), 1);
  EXPECT_THAT(one.said().toStdString(), testing::HasSubstr("no-such-suite"));
  EXPECT_THAT(one.failed[0][0].toString().toStdString(), testing::HasSubstr("no-such-suite"));
}

TEST(RunDock, ATagThatIsRefusedStaysToBeMended) {
  Dock one;
  Session session;
  Loader loader(one.folder.file());
  NotesDock notes(session, loader, nullptr);
  QLineEdit* tag = nullptr;
  for (QLineEdit* line : notes.findChildren<QLineEdit*>()) {
    if (line->accessibleName() == "New tag of the campaign") tag = line;
  }
  ASSERT_NE(tag, nullptr);
  QObject::connect(&notes, &NotesDock::wanted, &one.dock, &RunDock::run);
  QObject::connect(&one.dock, &RunDock::succeeded, &notes, &NotesDock::forget);
  tag->setText("before-upgrade");
  Q_EMIT tag->returnPressed();  // there is no campaign to tag
  ASSERT_TRUE(one.ended());
  EXPECT_EQ(one.failed.count(), 1) << one.said().toStdString();
  EXPECT_EQ(tag->text(), "before-upgrade");
  notes.forget({"tag", "before-upgrade", "@1"});
  EXPECT_EQ(tag->text(), "");
}

}  // namespace
}  // namespace lockstep::gui
