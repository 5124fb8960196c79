#pragma once

#include <QMainWindow>

namespace lockstep::gui {

/// What opens where there is no results store to show: says so, how to make one, and offers to open one.
class StartWindow : public QMainWindow {
  Q_OBJECT
 public:
  /// `folder`: where a store was looked for; `last`: the store that was used last and is gone; empty: none was.
  StartWindow(const QString& folder, const QString& last);

 Q_SIGNALS:
  void open_wanted(const QString& store);

 private:
  void choose();

  QString folder_;
};

}  // namespace lockstep::gui
