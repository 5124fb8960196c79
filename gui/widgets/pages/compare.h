#pragma once

#include "gui/core/pages/compare.h"
#include "gui/widgets/page.h"

class QComboBox;
class QLabel;

namespace lockstep::gui {

class ChartView;
class TableHeads;
class TableView;

/// Side A against side B: the verdict first, environments above the numbers, every launch a dot.
class ComparePage : public Page {
  Q_OBJECT
 public:
  ComparePage(Session& session, Loader& loader);
  std::vector<report::Table> tables() const override;

 protected:
  void load() override;
  bool concerns(const ViewState& before) const override;

 private:
  void show_comparison(const Comparison& comparison);
  void take_sides();
  QComboBox* side_box(const char* name);

  Comparison shown_;
  QComboBox *a_, *b_;
  QLabel *verdict_, *head_, *foot_;
  TableView *verdicts_, *environments_;
  TableHeads* heads_;
  ChartView *launches_, *distribution_;
};

}  // namespace lockstep::gui
