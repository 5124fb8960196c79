#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <string>

#include "gui/core/loader.h"
#include "gui/core/session.h"
#include "gui/widgets/page.h"

namespace lockstep::gui::fixture {

/// The store of tests/fixtures/runs.tar.xz: recorded run folders, imported by `lockstep import`. Made once a process.
const std::string& fixture_store();

/// Runs `lockstep ARGUMENTS` in a folder to its end; a failure is one of the test.
void run_lockstep(const QStringList& arguments, const std::string& folder);

/// What `lockstep ARGUMENTS --json` prints of a store.
QJsonObject lockstep_json(const QStringList& arguments, const std::string& store);

/// A page on a store, shown and ready.
struct Shown {
  Session session;
  Loader loader;
  std::unique_ptr<Page> page;

  Shown(const std::string& id, const std::string& store, const ViewState& view = {}, QSize size = {1280, 800});
  /// Waits until everything that was asked for is there; false after a while.
  bool wait();
};

}  // namespace lockstep::gui::fixture
