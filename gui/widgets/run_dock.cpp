#include "gui/widgets/run_dock.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProcess>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/core/text.h"

namespace lockstep::gui {

namespace {
constexpr int kMostLines = 5000;
}

RunDock::RunDock(std::string store, QWidget* parent)
    : QDockWidget("Run", parent),
      store_(std::move(store)),
      suite_(new QComboBox),
      options_(new QLineEdit),
      start_(new QPushButton("Start")),
      stop_(new QPushButton("Stop")),
      state_(new QLabel),
      log_(new QPlainTextEdit) {
  setObjectName("run");
  suite_->setEditable(true);
  suite_->setAccessibleName("Suite");
  suite_->setMinimumContentsLength(18);
  suite_->setToolTip("A suite's name, or a file");
  options_->setAccessibleName("Options of lockstep run");
  options_->setPlaceholderText("options, for example -n 8 --filter ranks:2 --profile");
  stop_->setToolTip("Ends it as Ctrl+C does: what was measured is kept, and --resume goes on");
  log_->setReadOnly(true);
  log_->setMaximumBlockCount(kMostLines);
  log_->setLineWrapMode(QPlainTextEdit::NoWrap);
  log_->setAccessibleName("Output of lockstep");
  QFont mono("DejaVu Sans Mono");
  mono.setPointSizeF(log_->font().pointSizeF());
  log_->setFont(mono);
  auto* row = new QHBoxLayout;
  row->addWidget(new QLabel("Suite"));
  row->addWidget(suite_);
  row->addWidget(options_, 1);
  row->addWidget(start_);
  row->addWidget(stop_);
  auto* inner = new QWidget;
  auto* column = new QVBoxLayout(inner);
  column->addLayout(row);
  column->addWidget(state_);
  column->addWidget(log_, 1);
  setWidget(inner);
  stop_->setEnabled(false);
  connect(start_, &QPushButton::clicked, this, &RunDock::start_suite);
  connect(stop_, &QPushButton::clicked, this, &RunDock::stop);
  connect(&child_, &Child::said, this, [this](const QString& line) {
    log_->appendPlainText(line);
    if (!line.trimmed().isEmpty()) last_line_ = line.trimmed();
  });
  connect(options_, &QLineEdit::returnPressed, start_, &QPushButton::click);
  connect(&child_, &Child::ended, this, &RunDock::end);
  connect(&lister_, &Child::said, this, [this](const QString& line) { listed_ += line.toUtf8() + "\n"; });
  connect(&lister_, &Child::ended, this, [this](int, const QString&) {
    const QString typed = suite_->currentText();
    suite_->clear();
    for (const QJsonValue& suite : QJsonDocument::fromJson(listed_).object()["suites"].toArray()) {
      suite_->addItem(suite["suite"].toString());
      suite_->setItemData(suite_->count() - 1, suite["title"].toString(), Qt::ToolTipRole);
    }
    suite_->setCurrentText(typed.isEmpty() ? "quickstart" : typed);
  });
  connect(this, &QDockWidget::visibilityChanged, this, [this](bool visible) {
    if (visible && suite_->count() == 0) ask_suites();
  });
}

void RunDock::take_keyboard() {
  show(), raise();
  (start_->isEnabled() ? static_cast<QWidget*>(suite_) : stop_)->setFocus();
}

void RunDock::ask_suites() {
  listed_.clear();
  lister_.start({"run", "--json"}, QFileInfo(qt(store_)).absolutePath());
}

void RunDock::start_suite() {
  if (suite_->count() == 0 && suite_->currentText().isEmpty()) suite_->setCurrentText("quickstart");
  begin(QStringList{"run", suite_->currentText()} + QProcess::splitCommand(options_->text()));
}

void RunDock::run(const QStringList& arguments) { begin(arguments); }

void RunDock::begin(const QStringList& arguments) {
  const QFileInfo store(qt(store_));
  if (child_.running()) {
    Q_EMIT failed("lockstep runs already: stop it first, or wait for it");
    return;
  }
  arguments_ = arguments, last_line_.clear();
  child_.start(arguments + QStringList{"--store", store.absoluteFilePath()}, store.absolutePath());
  if (!child_.running()) return;
  log_->appendPlainText("$ " + child_.command_line());
  state_->setText("running: " + child_.command_line());
  start_->setEnabled(false), stop_->setEnabled(true);
  Q_EMIT changed();
}

void RunDock::stop() {
  child_.interrupt();
  state_->setText("stopping: the launch that runs is ended, what was measured is kept");
}

void RunDock::end(int code, const QString& words) {
  start_->setEnabled(true), stop_->setEnabled(false);
  state_->setText(words);
  log_->appendPlainText("[" + words + "]");
  const bool refused = (code == 2 || code == 3) && !last_line_.isEmpty();  // its own last words say why
  if (code != 0)
    Q_EMIT failed(!refused                            ? "lockstep: " + words
                  : last_line_.startsWith("lockstep") ? last_line_
                                                      : "lockstep: " + last_line_);
  if (code == 0) Q_EMIT succeeded(arguments_);
  Q_EMIT changed();
}

}  // namespace lockstep::gui
