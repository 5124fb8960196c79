#include "gui/widgets/start_window.h"

#include <QFileDialog>
#include <QLabel>
#include <QMenuBar>
#include <QPushButton>
#include <QScreen>
#include <QVBoxLayout>

#include "gui/widgets/labels.h"
#include "gui/widgets/main_window.h"

namespace lockstep::gui {

namespace {

constexpr int kAroundWords = 40, kWidestWords = 720;

QString words_of(const QString& folder, const QString& last) {
  QString out = QString(
                    "<p>This program shows what a results store holds: a file, usually <b>lockstep.db</b>, that "
                    "<b>lockstep run</b> makes where it is started. There is none in %1.")
                    .arg(folder.toHtmlEscaped());
  if (!last.isEmpty()) out += QString(" The store that was used last is gone: %1.").arg(last.toHtmlEscaped());
  return out +
         "</p><p>To make one, in a terminal:</p>"
         "<p><b>./quickstart</b>&nbsp; in the folder of Lockstep's sources: builds what it needs and measures a first "
         "suite, in minutes<br>"
         "<b>lockstep run quickstart</b>&nbsp; the same suite, where Lockstep is installed</p>"
         "<p>then <b>lockstep gui</b> in that folder, or File &gt; Open store (Ctrl+O) for one that is elsewhere.</p>";
}

}  // namespace

StartWindow::StartWindow(const QString& folder, const QString& last) : folder_(folder) {
  setWindowTitle("Lockstep");
  resize(first_size(screen()->availableSize()));
  QMenu* file = menuBar()->addMenu("&File");
  file->addAction("&Open store...", QKeySequence::Open, this, &StartWindow::choose);
  file->addAction("&Quit", QKeySequence::Quit, this, &QWidget::close);
  auto* all = new QWidget;
  all->setMaximumWidth(kWidestWords);
  auto* column = new QVBoxLayout(all);
  column->setContentsMargins(kAroundWords, kAroundWords, kAroundWords, kAroundWords);
  column->addWidget(heading_label("There is no results store to show yet", 1));
  column->addWidget(text_label(words_of(folder, last), true));
  auto* open = new QPushButton("&Open store...");
  connect(open, &QPushButton::clicked, this, &StartWindow::choose);
  column->addWidget(open, 0, Qt::AlignLeft);
  column->addStretch(1);
  setCentralWidget(all);
  open->setFocus();
}

void StartWindow::choose() {
  const QString store = choose_store(this, folder_);
  if (!store.isEmpty()) Q_EMIT open_wanted(store);
}

}  // namespace lockstep::gui
