#include "gui/core/child.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>
#include <csignal>

namespace lockstep::gui {

namespace {
constexpr int kGraceMs = 10'000;  // to finish after SIGINT when this program closes

QString meaning(int code) {
  switch (code) {
    case 0:
      return "done";
    case 1:
      return "done, with a finding (exit 1)";
    case 2:
      return "refused: see the message above (exit 2)";
    case 3:
      return "the set-up failed: see the message above (exit 3)";
    case 130:
      return "stopped; what was measured is kept, and lockstep run --resume @last goes on";
    default:
      return QString("ended with exit code %1").arg(code);
  }
}

QString quoted(const QString& word) {
  static const QRegularExpression plain("^[A-Za-z0-9_@%+=:,./-]+$");
  if (plain.match(word).hasMatch()) return word;
  QString inner = word;
  return "'" + inner.replace("'", "'\\''") + "'";
}
}  // namespace

Child::~Child() {
  if (process_ == nullptr) return;
  process_->disconnect(this);
  interrupt();
  if (!process_->waitForFinished(kGraceMs)) process_->kill();
}

QString Child::program() {
  const QString beside = QCoreApplication::applicationDirPath() + "/lockstep";
  return QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable("lockstep");
}

bool Child::start(const QStringList& arguments, const QString& folder) {
  if (running()) return false;
  command_line_ = "lockstep";
  for (const QString& argument : arguments) command_line_ += " " + quoted(argument);
  if (program().isEmpty()) {
    Q_EMIT ended(-1, "lockstep was not found beside this program nor in PATH: build it, or install the package");
    return true;
  }
  process_ = new QProcess(this);
  process_->setProcessChannelMode(QProcess::MergedChannels);
  process_->setStandardInputFile(QProcess::nullDevice());
  process_->setWorkingDirectory(folder);
  connect(process_, &QProcess::readyRead, this, [this] { read(false); });
  const auto end = [this](int code, const QString& words) {
    if (process_ == nullptr) return;
    read(true);
    process_->deleteLater();
    process_ = nullptr;
    Q_EMIT ended(code, words);
  };
  connect(process_, &QProcess::finished, this, [end](int code, QProcess::ExitStatus status) {
    status == QProcess::NormalExit ? end(code, meaning(code)) : end(code, "it was killed");
  });
  connect(process_, &QProcess::errorOccurred, this, [this, end](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) end(-1, "cannot be started: " + process_->errorString());
  });
  process_->start(program(), arguments);
  return true;
}

void Child::interrupt() {
  if (process_ != nullptr && process_->processId() > 0) ::kill(static_cast<pid_t>(process_->processId()), SIGINT);
}

void Child::read(bool all) {
  unread_ += process_->readAll();
  qsizetype end = 0;
  while ((end = unread_.indexOf('\n')) >= 0) {
    Q_EMIT said(QString::fromUtf8(unread_.left(end)));
    unread_.remove(0, end + 1);
  }
  if (!all || unread_.isEmpty()) return;
  Q_EMIT said(QString::fromUtf8(unread_));
  unread_.clear();
}

}  // namespace lockstep::gui
