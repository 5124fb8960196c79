#pragma once

#include <QMainWindow>
#include <QTimer>
#include <map>

#include "gui/core/loader.h"
#include "gui/core/session.h"

class QLabel;
class QListWidget;
class QStackedWidget;

namespace lockstep::gui {

class CampaignBar;
class Page;
class RunDock;

/// Asks for the file of a store; empty: none was chosen.
QString choose_store(QWidget* parent, const QString& folder);

/// The size of a window that has never been sized: usual, but no larger than what a screen has free for it, frame
/// included.
QSize first_size(const QSize& free);

/// Whether a window takes its place, size and docks from the last time and keeps them for the next. Pictures do not:
/// they are to be the same for everybody.
enum class Remembered : uint8_t { yes, no };

/// The window over one store.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(const std::string& store, Remembered remembered = Remembered::yes);
  ~MainWindow() override;

  Session& session() { return session_; }
  /// The page that is shown.
  Page* page() const;
  /// What the menus offer.
  QList<QAction*> all_actions() const;

 Q_SIGNALS:
  /// Another store was chosen: whoever made this window opens it.
  void open_wanted(const QString& store);
  void theme_wanted(bool dark);

 protected:
  void closeEvent(QCloseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  /// True when no suite runs from here, or may be stopped: then it is told to.
  bool may_leave();
  void add_pages();
  void add_menus();
  void show_page(const std::string& id);
  void open_store();
  void save_view();
  void open_view();
  void tell(const QString& words);
  void add_status();
  void show_progress(const QString& what, double share);
  QAction* add_action(class QMenu* menu, const QString& text, const QKeySequence& keys, std::function<void()> run);

  Remembered remembered_;
  Session session_;
  Loader loader_;
  QTimer watch_;
  QStackedWidget* stack_;
  QListWidget* list_;
  std::map<std::string, Page*> pages_;
  CampaignBar* bar_;
  RunDock* run_;
  class NotesDock* notes_;
  QLabel *reading_, *path_;
  class QProgressBar* progress_;
  class QToolButton* stop_;
};

}  // namespace lockstep::gui
