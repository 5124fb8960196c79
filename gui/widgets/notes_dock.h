#pragma once

#include <QDockWidget>
#include <string>
#include <vector>

#include "gui/core/loader.h"
#include "gui/core/session.h"

class QLabel;
class QLineEdit;
class QListWidget;

namespace lockstep::gui {

/// What people say of the campaign and the chosen launch: tags and notes, and new ones. They are written by
/// `lockstep tag` and `lockstep note`, which `wanted` asks for.
class NotesDock : public QDockWidget {
  Q_OBJECT
 public:
  NotesDock(Session& session, Loader& loader, QWidget* parent);
  /// Shows it, with the keyboard on the tag.
  void take_keyboard();
  /// What was wanted has been done: its text goes. Until then it stays, for it may be refused.
  void forget(const QStringList& arguments);

 Q_SIGNALS:
  /// Arguments of lockstep.
  void wanted(const QStringList& arguments);

 private:
  struct Data {
    std::string campaign;  ///< "@3 quickstart"; empty: none
    std::string selector;  ///< "@3"
    std::vector<std::string> tags, lines;
  };
  static Data read(store::Store& store, const ViewState& view);
  void refresh();
  void show_data(const Data& data);

  Session& session_;
  Loader& loader_;
  std::string selector_;
  QLabel* title_;
  QListWidget* list_;
  QLineEdit *tag_, *note_;
};

}  // namespace lockstep::gui
