#pragma once

#include <QDockWidget>

#include "gui/core/child.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace lockstep::gui {

/// Starts, watches and stops `lockstep run`, and shows what it says. Its campaign appears in every page by way of the
/// store.
class RunDock : public QDockWidget {
  Q_OBJECT
 public:
  RunDock(std::string store, QWidget* parent);

  /// Another command of lockstep on this store ("tag", "note"): its words are shown here.
  void run(const QStringList& arguments);
  bool running() const { return child_.running(); }
  /// Shows it, with the keyboard on the choice of a suite.
  void take_keyboard();

 public Q_SLOTS:
  void start_suite();
  void stop();

 Q_SIGNALS:
  void changed();  ///< started, ended
  void failed(const QString& words);
  /// A command has ended and did what it was asked.
  void succeeded(const QStringList& arguments);

 private:
  void ask_suites();
  void begin(const QStringList& arguments);
  void end(int code, const QString& words);

  std::string store_;
  Child child_, lister_;
  QByteArray listed_;
  QStringList arguments_;  ///< of what runs or ran last, without the store
  QString last_line_;      ///< of its output
  QComboBox* suite_;
  QLineEdit* options_;
  QPushButton *start_, *stop_;
  QLabel* state_;
  QPlainTextEdit* log_;
};

}  // namespace lockstep::gui
