#pragma once

#include <QObject>
#include <functional>
#include <vector>

#include "gui/core/view_state.h"

namespace lockstep::gui {

/// The shared view state with undo and redo. Pages read `view()` and change it through `change`; all of them hear
/// `changed`.
class Session : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  const ViewState& view() const { return view_; }

  /// Edits a copy and makes it the view. Nothing happens where the edit changes nothing. Edits with the same
  /// non-empty `gesture` in a row (a drag, turns of the wheel) are undone as one.
  void change(const std::function<void(ViewState&)>& edit, const QString& gesture = {});
  /// Another view, as one step that can be undone.
  void replace(const ViewState& view);

  bool can_undo() const { return !past_.empty(); }
  bool can_redo() const { return !future_.empty(); }

 public Q_SLOTS:
  void undo();
  void redo();

 Q_SIGNALS:
  /// `before` is the view that was.
  void changed(const lockstep::gui::ViewState& before);

 private:
  void move(std::vector<ViewState>& from, std::vector<ViewState>& to);

  ViewState view_;
  std::vector<ViewState> past_, future_;
  QString gesture_;
};

}  // namespace lockstep::gui
