#pragma once

#include <QDialog>

class QAction;
class QLineEdit;
class QListWidget;

namespace lockstep::gui {

/// Every action of the window by name: type some letters, Enter runs the first that fits. What an action's data says
/// are other words for it.
class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(const QList<QAction*>& actions, QWidget* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void narrow(const QString& text);
  void run();

  QList<QAction*> actions_;
  QLineEdit* line_;
  QListWidget* list_;
};

}  // namespace lockstep::gui
