#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>

namespace lockstep::gui {

/// The program `lockstep` as a child process: what starts suites, tags and notes. It writes to the store; this program
/// only reads. Where the child is ended it gets SIGINT, and so finishes as after Ctrl+C: nothing measured is lost.
class Child : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  ~Child() override;

  /// Beside this program, else in PATH; empty where there is none.
  static QString program();

  /// Starts `lockstep ARGUMENTS` in `folder`. One at a time: false where one runs. What goes wrong at the start is told
  /// by `ended`.
  bool start(const QStringList& arguments, const QString& folder);
  void interrupt();
  bool running() const { return process_ != nullptr; }
  /// As one would type it.
  QString command_line() const { return command_line_; }

 Q_SIGNALS:
  /// A line of its output or progress, without the newline.
  void said(const QString& line);
  /// `code`: its exit code, -1 where it could not be started; `words`: what that means.
  void ended(int code, const QString& words);

 private:
  void read(bool all);

  QProcess* process_ = nullptr;
  QString command_line_;
  QByteArray unread_;
};

}  // namespace lockstep::gui
