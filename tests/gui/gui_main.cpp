#include <gtest/gtest.h>

#include <QApplication>
#include <QStandardPaths>

#include "gui/widgets/theme.h"

/// Pictures and clicks without a display, and without the settings of whoever runs the tests.
int main(int count, char** arguments) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  qputenv("TZ", "UTC");  // pages tell local times
  testing::InitGoogleTest(&count, arguments);
  QStandardPaths::setTestModeEnabled(true);
  QLocale::setDefault(QLocale::c());
  const QApplication application(count, arguments);
  QApplication::setOrganizationName("lockstep-test");
  lockstep::gui::use_theme(*qApp, lockstep::gui::Theme::light);
  return RUN_ALL_TESTS();
}
