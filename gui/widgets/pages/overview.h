#pragma once

#include "gui/core/pages/overview.h"
#include "gui/widgets/page.h"

class QScrollArea;

namespace lockstep::gui {

class ChartView;
class TableView;

/// Paints an Overview: sentences first, then four pictures and the table of each workload.
class OverviewPage : public Page {
  Q_OBJECT
 public:
  OverviewPage(Session& session, Loader& loader);
  std::vector<report::Table> tables() const override;

 protected:
  void load() override;
  void restyle() override;

 private:
  void show_overview(const Overview& overview);
  void rebuild(const Overview& overview);
  QWidget* workload_part(const Overview::Workload& workload);

  Overview shown_;
  QScrollArea* area_;
  std::vector<ChartView*> charts_;
  std::vector<TableView*> tables_;
};

}  // namespace lockstep::gui
