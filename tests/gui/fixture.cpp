#include "tests/gui/fixture.h"

#include <gtest/gtest.h>

#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "gui/core/text.h"
#include "gui/widgets/page_table.h"

namespace lockstep::gui::fixture {
namespace {

QByteArray run(const QString& program, const QStringList& arguments, const QString& folder) {
  QProcess process;
  process.setWorkingDirectory(folder);
  process.start(program, arguments);
  if (!process.waitForFinished(120'000) || process.exitCode() != 0) {
    ADD_FAILURE() << program.toStdString() << " " << arguments.join(' ').toStdString() << ": "
                  << process.readAllStandardError().toStdString();
  }
  return process.readAllStandardOutput();
}

const QString kLockstep = QString(LOCKSTEP_BIN_DIR) + "/lockstep";

}  // namespace

const std::string& fixture_store() {
  static const QTemporaryDir folder;
  static const std::string path = [&] {
    run("tar", {"xJf", QString(LOCKSTEP_SOURCE_DIR) + "/tests/fixtures/runs.tar.xz"}, folder.path());
    QStringList import{"import"};
    for (const char* campaign : {"1", "2", "3", "4"}) import << QString("lockstep-runs/") + campaign;
    run(kLockstep,
        import << "--store"
               << "lockstep.db",
        folder.path());
    return utf8(folder.filePath("lockstep.db"));
  }();
  return path;
}

void run_lockstep(const QStringList& arguments, const std::string& folder) { run(kLockstep, arguments, qt(folder)); }

QJsonObject lockstep_json(const QStringList& arguments, const std::string& store) {
  return QJsonDocument::fromJson(run(kLockstep, arguments + QStringList{"--json", "--store", qt(store)}, "/")).object();
}

Shown::Shown(const std::string& id, const std::string& store, const ViewState& view, QSize size) : loader(store) {
  session.replace(view);
  page.reset(page_named(id)->make(session, loader));
  page->resize(size);
  page->show();
  EXPECT_TRUE(wait()) << id;
}

bool Shown::wait() {
  return QTest::qWaitFor([&] { return page->ready(); }, 20'000);
}

}  // namespace lockstep::gui::fixture
