#pragma once

#include "gui/core/timeline/load.h"
#include "gui/core/timeline/totals.h"
#include "gui/widgets/page.h"

class QLabel;
class QSplitter;

namespace lockstep::gui {

class TimelineChoices;
class TimelineTables;
class TimelineView;

/// A recorded launch's timeline, with the plan over it; totals of an area; the difference to a second launch.
class TimelinePage : public Page {
  Q_OBJECT
 public:
  TimelinePage(Session& session, Loader& loader);
  std::vector<report::Table> tables() const override;

 protected:
  void load() override;
  bool concerns(const ViewState& before) const override;
  void restyle() override;

 private:
  void connect_view(TimelineView* view, bool first);
  void keep_area(const std::optional<timeline::Area>& area);
  void show_loaded(const timeline::Loaded& loaded);
  void align_other();
  void show_notes();
  void show_details(const TimelineView& view, const std::shared_ptr<const timeline::Launch>& launch);
  /// The area in times and tracks of the other launch, or back.
  std::optional<timeline::Area> moved_area(const std::optional<timeline::Area>& area, bool to_other) const;
  timeline::Area area_of_totals() const;
  void follow_view();
  void show_rows(TimelineView& view, const timeline::Launch& launch);
  void ask_totals();
  void ask_matrix();
  void ask_diff();
  /// Edits the view so that zoom and area are of the launch that is shown.
  void change_zoom(const std::function<void(ViewState&)>& edit, const QString& gesture);
  bool zoom_is_of_shown() const;

  timeline::Loaded shown_;
  std::optional<timeline::Area> added_up_;                    ///< what the table of totals is of
  std::optional<std::pair<timeline::Area, bool>> matrix_of_;  ///< what the matrix is of; of the plan
  double other_begins_later_ns_ = 0;                          ///< by how much the second launch is moved
  std::string aligned_;                                       ///< where, in words
  std::string filter_problem_;
  TimelineChoices* choices_;
  QLabel *notes_, *details_;
  QSplitter* splitter_;
  TimelineView *first_, *second_;
  TimelineTables* tables_;
};

}  // namespace lockstep::gui
