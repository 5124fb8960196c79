#include "gui/core/session.h"

namespace lockstep::gui {

namespace {
constexpr size_t kMostSteps = 500;
}

void Session::change(const std::function<void(ViewState&)>& edit, const QString& gesture) {
  ViewState next = view_;
  edit(next);
  if (next == view_) return;
  const bool goes_on = !gesture.isEmpty() && gesture == gesture_ && !past_.empty();
  if (!goes_on) past_.push_back(view_);
  if (past_.size() > kMostSteps) past_.erase(past_.begin());
  future_.clear();
  gesture_ = gesture;
  std::swap(view_, next);
  Q_EMIT changed(next);
}

void Session::replace(const ViewState& view) {
  change([&](ViewState& all) { all = view; });
}

void Session::undo() { move(past_, future_); }
void Session::redo() { move(future_, past_); }

void Session::move(std::vector<ViewState>& from, std::vector<ViewState>& to) {
  if (from.empty()) return;
  const ViewState before = view_;
  to.push_back(view_);
  view_ = from.back();
  from.pop_back();
  gesture_.clear();
  Q_EMIT changed(before);
}

}  // namespace lockstep::gui
