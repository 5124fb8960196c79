#pragma once

#include "gui/core/pages/convergence.h"
#include "gui/widgets/page.h"

class QLabel;

namespace lockstep::gui {

class ChartView;
class Choice;
class TableHeads;
class TableView;

/// Statistical efficiency: loss or a metric against what it cost, and when the target was reached.
class ConvergencePage : public Page {
  Q_OBJECT
 public:
  ConvergencePage(Session& session, Loader& loader);
  std::vector<report::Table> tables() const override;

 protected:
  void load() override;
  bool concerns(const ViewState& before) const override;
  void restyle() override;

 private:
  void show_convergence(const Convergence& convergence);

  Convergence shown_;
  Choice *workload_, *metric_;
  QLabel* target_;
  ChartView* chart_;
  TableView* times_;
  TableHeads* heads_;
};

}  // namespace lockstep::gui
