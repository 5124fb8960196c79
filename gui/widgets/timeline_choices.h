#pragma once

#include <QWidget>
#include <string>

#include "gui/core/session.h"
#include "gui/core/timeline/layout.h"
#include "gui/core/timeline/load.h"

class QComboBox;
class QLineEdit;

namespace lockstep::gui {

class KindLegend;

/// Which launches the timeline page shows, what of them, and which rows. Kept in the view.
class TimelineChoices : public QWidget {
  Q_OBJECT
 public:
  static constexpr const char *kShow = "timeline.show", *kRows = "timeline.rows", *kCollapsed = "timeline.collapsed",
                              *kPinned = "timeline.pinned";

  explicit TimelineChoices(Session& session);

  /// The launches that can be chosen, and the legend of those that are shown.
  void show_loaded(const timeline::Loaded& loaded);
  /// What the view says.
  void follow();
  /// Which rows of a launch are shown. Failure "usage" where the row filter is none.
  timeline::RowChoices rows_of(const timeline::Launch& launch) const;
  /// "planned only" is chosen.
  bool planned_only() const;
  /// Puts a rank into the option's set, or takes it out.
  void toggle_rank(const char* option, int rank);

 private:
  void fill(QComboBox* box, const timeline::Loaded& loaded, const std::shared_ptr<const timeline::Launch>& shown,
            const std::string& wanted, bool or_none);
  void show_legend(const timeline::Loaded& loaded);

  Session& session_;
  QComboBox *launch_, *other_, *show_;
  QLineEdit* filter_;
  KindLegend* legend_;
};

}  // namespace lockstep::gui
