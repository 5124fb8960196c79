#pragma once

#include "gui/core/pages/strategies.h"
#include "gui/widgets/page.h"

class QLabel;
class QLineEdit;
class QScrollArea;
class QTextBrowser;

namespace lockstep::gui {

class Choice;
class ScheduleView;
class TableHeads;
class TableView;

/// Terms x systems; of the chosen strategy its pipeline schedule as a picture and its step plan as tables.
class StrategiesPage : public Page {
  Q_OBJECT
 public:
  StrategiesPage(Session& session, Loader& loader);
  std::vector<report::Table> tables() const override;

 protected:
  void load() override;
  bool concerns(const ViewState& before) const override;
  void restyle() override;

 private:
  QWidget* terms_part();
  QWidget* strategy_part();
  void show_strategies(std::shared_ptr<const Strategies> strategies);
  void show_strategy(std::shared_ptr<const ShownStrategy> shown);
  void say_what_is_missing();
  void show_terms();    ///< the table of the shown workload
  void show_details();  ///< of the chosen term
  void show_schedule();
  void show_plan();
  /// Selects a term and shows its strategy.
  void choose(const QString& term);

  std::shared_ptr<const Strategies> strategies_ = std::make_shared<Strategies>();
  std::shared_ptr<const ShownStrategy> shown_ = std::make_shared<ShownStrategy>();
  std::string asked_campaign_, asked_filter_;  ///< of the terms' numbers
  bool store_moved_ = true;
  std::string details_of_;  ///< the term whose details are shown

  QScrollArea* area_;
  Choice* workload_;
  QLabel *campaign_, *no_cells_;
  QTextBrowser* facts_;
  TableView *terms_, *cells_;
  TableHeads* heads_;
  QLineEdit* strategy_;
  QLabel *origin_, *schedule_title_, *no_schedule_, *told_, *schedule_words_;
  ScheduleView* schedule_;
  QLabel *plan_title_, *plan_lines_, *no_plan_, *plan_notes_;
  TableView *sent_, *memory_;
};

}  // namespace lockstep::gui
