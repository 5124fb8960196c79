#pragma once

#include <QWidget>
#include <vector>

#include "gui/core/pages/overview.h"

class QGridLayout;
class QLabel;

namespace lockstep::gui {

class ChartView;
class TableView;
class TextColumn;

/// A workload's part of the overview: its pictures, what was not measured, its table. New numbers are shown in the
/// widgets that are there: zooms, choices and what is seen stay.
class OverviewWorkload : public QWidget {
  Q_OBJECT
 public:
  explicit OverviewWorkload(const std::string& name);

  void show_workload(const Overview::Workload& workload);
  void restyle(const ViewState& view);

 Q_SIGNALS:
  /// A cell was chosen in a picture or in the table; empty: none.
  void picked(const QString& cell);

 private:
  /// A picture with its title; kept as long as the workload has a chart of this title.
  struct Picture {
    std::string title;
    QWidget* box = nullptr;
    ChartView* view = nullptr;
  };
  Picture make_picture(const std::string& title);
  void place_pictures(const std::vector<Chart>& charts);

  QLabel* title_;
  QGridLayout* grid_;
  std::vector<Picture> pictures_;
  TextColumn* missing_;
  TableView* table_;
};

}  // namespace lockstep::gui
