#pragma once

#include "gui/core/pages/launches.h"
#include "gui/widgets/page.h"

class QLabel;
class QTextBrowser;

namespace lockstep::gui {

class Choice;
class TableHeads;
class TableView;

/// Every launch, or every cell with its medians; what is chosen is told in full beside it.
class LaunchesPage : public Page {
  Q_OBJECT
 public:
  LaunchesPage(Session& session, Loader& loader);
  std::vector<report::Table> tables() const override;

 protected:
  void load() override;
  bool concerns(const ViewState& before) const override;
  void restyle() override;

 private:
  void ask_launches(Reading reading);
  void ask_figures();
  void show_launches(const Launches& launches);
  void ask_facts();
  void choose(const QString& key);
  void show_column_choice();
  bool by_cell() const;

  ViewState asked_;  ///< what the rows that are shown were asked for with
  std::shared_ptr<const KnownFigures> figures_ = std::make_shared<KnownFigures>();
  std::string facts_of_;  ///< the launch whose facts were asked for last
  Choice *scope_, *group_, *columns_;
  QLabel* count_;
  TableView* table_;
  TableHeads* heads_;
  QTextBrowser* facts_;
};

}  // namespace lockstep::gui
