#include "gui/widgets/main_window.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QProgressBar>
#include <QSaveFile>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <algorithm>

#include "gui/core/text.h"
#include "gui/widgets/campaign_bar.h"
#include "gui/widgets/command_palette.h"
#include "gui/widgets/export.h"
#include "gui/widgets/help_sheet.h"
#include "gui/widgets/notes_dock.h"
#include "gui/widgets/page_table.h"
#include "gui/widgets/run_dock.h"
#include "gui/widgets/theme.h"

namespace lockstep::gui {

namespace {
constexpr int kWatchMs = 1000;
constexpr int kTellMs = 15'000;
constexpr int kLateMs = 300;  // what is read sooner than this is not told: a live campaign is read every second
constexpr int kListMargin = 24;
constexpr int kLayoutVersion = 1;  // of the docks that are remembered
constexpr QSize kUsualSize{1280, 800};
constexpr QSize kFrame{16, 48};  // what window managers add: nobody knows before the window is shown
}  // namespace

QString choose_store(QWidget* parent, const QString& folder) {
  return QFileDialog::getOpenFileName(parent, "Open store", folder, "Results stores (*.db);;All files (*)");
}

QSize first_size(const QSize& free) { return kUsualSize.boundedTo(free - kFrame); }

MainWindow::MainWindow(const std::string& store, Remembered remembered)
    : remembered_(remembered),
      loader_(store),
      stack_(new QStackedWidget),
      list_(new QListWidget),
      bar_(new CampaignBar(session_, loader_)),
      run_(new RunDock(store, this)),
      notes_(new NotesDock(session_, loader_, this)),
      reading_(new QLabel),
      path_(new QLabel),
      progress_(new QProgressBar),
      stop_(new QToolButton) {
  setWindowTitle(qt(store) + " - Lockstep");
  resize(remembered == Remembered::yes ? first_size(screen()->availableSize()) : kUsualSize);
  setCentralWidget(stack_);
  auto* tools = addToolBar("Campaign and filter");
  tools->setObjectName("campaign");
  tools->setMovable(false);
  tools->addWidget(bar_);
  add_pages();
  addDockWidget(Qt::BottomDockWidgetArea, run_);
  addDockWidget(Qt::RightDockWidgetArea, notes_);
  run_->hide(), notes_->hide();
  add_status();
  path_->setText(qt(store));
  add_menus();
  connect(&session_, &Session::changed, this, [this] { show_page(session_.view().page); });
  connect(bar_, &CampaignBar::refused, this, &MainWindow::tell);
  connect(run_, &RunDock::failed, this, &MainWindow::tell);
  connect(notes_, &NotesDock::wanted, run_, &RunDock::run);
  connect(run_, &RunDock::succeeded, notes_, &NotesDock::forget);
  connect(&watch_, &QTimer::timeout, &loader_, &Loader::look);
  watch_.start(kWatchMs);
  if (remembered_ == Remembered::yes) {
    const QSettings settings;
    restoreGeometry(settings.value("window/geometry").toByteArray());
    restoreState(settings.value("window/docks").toByteArray(), kLayoutVersion);
  }
  show_page(session_.view().page);
  for (QLineEdit* line : findChildren<QLineEdit*>()) line->installEventFilter(this);
}

// While the loader is there: pages that are hidden take their questions back from it.
MainWindow::~MainWindow() { hide(); }

void MainWindow::add_status() {
  progress_->setAccessibleName("How far reading is");
  progress_->setMaximumWidth(180);
  progress_->setRange(0, 100);
  stop_->setText("Stop");
  stop_->setToolTip("Stop reading");
  progress_->hide(), stop_->hide();
  statusBar()->addWidget(reading_);
  statusBar()->addWidget(progress_);
  statusBar()->addWidget(stop_);
  statusBar()->addPermanentWidget(path_);
  auto* late = new QTimer(this);
  late->setSingleShot(true), late->setInterval(kLateMs);
  connect(&loader_, &Loader::reading, late, [this, late](const QString& what) {
    late->setProperty("what", what);
    if (what.isEmpty()) {
      late->stop(), reading_->clear();
    } else if (!late->isActive()) {
      late->start();
    }
  });
  connect(late, &QTimer::timeout, reading_,
          [this, late] { reading_->setText("reading " + late->property("what").toString()); });
  connect(&loader_, &Loader::progress, this, &MainWindow::show_progress);
  connect(stop_, &QToolButton::clicked, &loader_, &Loader::stop);
}

void MainWindow::show_progress(const QString& what, double share) {
  progress_->setVisible(share >= 0), stop_->setVisible(share >= 0);
  if (share < 0) return;
  progress_->setValue(static_cast<int>(100 * share));
  progress_->setFormat("importing " + what + " %p%");
}

Page* MainWindow::page() const { return qobject_cast<Page*>(stack_->currentWidget()); }

void MainWindow::add_pages() {
  list_->setAccessibleName("Pages");
  for (const PageRow& row : pages()) {
    Page* page = row.make(session_, loader_);
    page->setAccessibleName(row.title);
    page->setAccessibleDescription(row.what);
    pages_[row.id] = page;
    stack_->addWidget(page);
    auto* item = new QListWidgetItem(row.title, list_);
    item->setData(Qt::UserRole, row.id);
    item->setToolTip(row.what);
  }
  list_->setFixedWidth(list_->sizeHintForColumn(0) + 2 * list_->frameWidth() + kListMargin);
  auto* dock = new QDockWidget("Pages", this);
  dock->setObjectName("pages");
  dock->setWidget(list_);
  addDockWidget(Qt::LeftDockWidgetArea, dock);
  connect(list_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
    if (item == nullptr) return;
    const std::string id = utf8(item->data(Qt::UserRole).toString());
    session_.change([&](ViewState& view) { view.page = id; });
  });
}

QAction* MainWindow::add_action(QMenu* menu, const QString& text, const QKeySequence& keys, std::function<void()> run) {
  QAction* action = menu->addAction(text);
  action->setShortcut(keys);
  connect(action, &QAction::triggered, this, std::move(run));
  return action;
}

void MainWindow::add_menus() {
  QMenu* file = menuBar()->addMenu("&File");
  add_action(file, "&Open store...", QKeySequence::Open, [this] { open_store(); });
  add_action(file, "Save &picture of the page...", QKeySequence("Ctrl+E"),
             [this] { save_picture(page(), qt(session_.view().page)); });
  add_action(file, "Save &data of the page...", QKeySequence("Ctrl+Shift+E"),
             [this] { save_tables(this, page()->tables(), qt(session_.view().page)); });
  file->addSeparator();
  add_action(file, "&Quit", QKeySequence::Quit, [this] { close(); });

  QMenu* edit = menuBar()->addMenu("&Edit");
  add_action(edit, "&Undo", QKeySequence::Undo, [this] { session_.undo(); });
  add_action(edit, "&Redo", QKeySequence::Redo, [this] { session_.redo(); });
  edit->addSeparator();
  add_action(edit, "&Filter", QKeySequence::Find, [this] { bar_->focus_filter(); });
  add_action(edit, "&Show everything (no filter, nothing hidden or brushed)", QKeySequence("Esc"), [this] {
    session_.change([](ViewState& view) { view.filter.clear(), view.cell.clear(), view.hidden.clear(); });
  });
  add_action(edit, "&Hide the brushed cell in charts", QKeySequence("H"), [this] {
    session_.change([](ViewState& view) {
      if (!view.cell.empty()) view.hidden.insert(view.cell);
    });
  });
  add_action(edit, "&Pin the brushed cell as base", QKeySequence("B"),
             [this] { session_.change([](ViewState& view) { view.base = view.cell; }); });

  QMenu* view = menuBar()->addMenu("&View");
  int number = 0;
  for (const PageRow& row : pages()) {
    ++number;
    const std::string id = row.id;
    QAction* action = add_action(view, QString("Page ") + row.title,
                                 number <= 9 ? QKeySequence(QString("Ctrl+%1").arg(number)) : QKeySequence(),
                                 [this, id] { session_.change([&](ViewState& state) { state.page = id; }); });
    action->setToolTip(row.what);
    action->setData(QString(row.words));
  }
  view->addSeparator();
  add_action(view, "&Save view...", QKeySequence::Save, [this] { save_view(); });
  add_action(view, "&Open view...", QKeySequence("Ctrl+Shift+O"), [this] { open_view(); });
  view->addSeparator();
  QAction* dark = add_action(view, "&Dark", QKeySequence("Ctrl+D"), [] {});
  dark->setCheckable(true);
  dark->setChecked(theme_now() == Theme::dark);
  connect(dark, &QAction::toggled, this, &MainWindow::theme_wanted);
  add_action(view, "&Read again", QKeySequence::Refresh, [this] { page()->refresh(); });
  for (QDockWidget* dock : findChildren<QDockWidget*>()) view->addAction(dock->toggleViewAction());

  QMenu* run = menuBar()->addMenu("&Run");
  add_action(run, "&Start a suite...", QKeySequence("Ctrl+R"), [this] { run_->take_keyboard(); });
  QAction* stop = add_action(run, "S&top what runs", QKeySequence("Ctrl+."), [this] { run_->stop(); });
  stop->setEnabled(false);
  connect(run_, &RunDock::changed, stop, [this, stop] { stop->setEnabled(run_->running()); });
  add_action(run, "&Tag or note this campaign", QKeySequence("Ctrl+T"), [this] { notes_->take_keyboard(); });

  QMenu* help = menuBar()->addMenu("&Help");
  add_action(help, "&Keys and pages", QKeySequence("?"), [this] { show_help_sheet(all_actions(), this); });
  add_action(help, "&Commands", QKeySequence("Ctrl+Shift+P"), [this] {
    CommandPalette palette(all_actions(), this);
    palette.exec();
  });
  add_action(help, "&About Lockstep", {}, [this] {
    QMessageBox::about(
        this, "About Lockstep",
        QString("Lockstep %1\n\nIt measures, compares and explains distributed training.\n\nThis program is "
                "free software under the GNU General Public License 3 or later; all other parts of "
                "Lockstep are under the Apache License 2.0.")
            .arg(QApplication::applicationVersion()));
  });
}

QList<QAction*> MainWindow::all_actions() const {
  QList<QAction*> out;
  for (const QAction* menu : menuBar()->actions()) {
    for (QAction* action : menu->menu()->actions()) {
      if (!action->isSeparator()) out << action;
    }
  }
  return out;
}

// Text fields take Ctrl+E, Ctrl+D and others for moves of their own: here they are what the menus say. Undo is theirs.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride || qobject_cast<QLineEdit*>(watched) == nullptr) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  if (!key->modifiers().testFlag(Qt::ControlModifier) || key->matches(QKeySequence::Undo) ||
      key->matches(QKeySequence::Redo)) {
    return false;
  }
  const QKeySequence typed(key->keyCombination());
  const QList<QAction*> actions = all_actions();
  return std::any_of(actions.begin(), actions.end(),
                     [&](const QAction* action) { return action->shortcuts().contains(typed); });
}

void MainWindow::show_page(const std::string& id) {
  const auto found = pages_.find(id);
  Page* page = found == pages_.end() ? pages_.at(pages().front().id) : found->second;
  if (found == pages_.end()) tell(qt(id) + " is no page of this program");
  stack_->setCurrentWidget(page);
  const QSignalBlocker quiet(list_);
  for (int i = 0; i < list_->count(); ++i) {
    if (list_->item(i)->data(Qt::UserRole).toString() == qt(id)) list_->setCurrentRow(i);
  }
}

void MainWindow::open_store() {
  const QString file = choose_store(this, QFileInfo(qt(loader_.path())).absolutePath());
  if (!file.isEmpty() && may_leave()) Q_EMIT open_wanted(file);
}

void MainWindow::save_view() {
  const QString name = QFileDialog::getSaveFileName(this, "Save view", "view.json", "Saved views (*.json)");
  if (name.isEmpty()) return;
  QSaveFile file(name);
  if (!file.open(QIODevice::WriteOnly) || file.write(to_json(session_.view())) < 0 || !file.commit()) {
    tell(name + ": cannot be written: " + file.errorString());
  }
}

void MainWindow::open_view() {
  const QString name = QFileDialog::getOpenFileName(this, "Open view", {}, "Saved views (*.json)");
  if (name.isEmpty()) return;
  try {
    session_.replace(load_view(utf8(name)));
  } catch (const Failure& failure) {
    tell(QString::fromStdString(failure.what()));
  }
}

void MainWindow::tell(const QString& words) { statusBar()->showMessage(words, kTellMs); }

bool MainWindow::may_leave() {
  if (!run_->running()) return true;
  const auto answer =
      QMessageBox::question(this, "A suite is running",
                            "Stop it? What was measured is kept, and lockstep run --resume @last goes on where it "
                            "stopped.");
  if (answer != QMessageBox::Yes) return false;
  run_->stop();
  return true;
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!may_leave()) return event->ignore();
  if (remembered_ == Remembered::no) return QMainWindow::closeEvent(event);
  QSettings settings;
  settings.setValue("window/geometry", saveGeometry());
  settings.setValue("window/docks", saveState(kLayoutVersion));
  QMainWindow::closeEvent(event);
}

}  // namespace lockstep::gui
