#pragma once

#include "gui/core/pages/scaling.h"
#include "gui/widgets/page.h"

class QLabel;

namespace lockstep::gui {

class ChartView;
class Choice;
class TableHeads;
class TableView;

/// Throughput or time, and efficiency, against ranks.
class ScalingPage : public Page {
  Q_OBJECT
 public:
  ScalingPage(Session& session, Loader& loader);
  std::vector<report::Table> tables() const override;

 protected:
  void load() override;
  bool concerns(const ViewState& before) const override;
  void restyle() override;

 private:
  void show_scaling(const Scaling& scaling);

  Scaling shown_;
  Choice *workload_, *metric_;
  QLabel* kind_;
  ChartView *speed_, *efficiency_;
  TableView* table_;
  TableHeads* heads_;
};

}  // namespace lockstep::gui
