#pragma once

#include <map>

#include "gui/core/pages/overview.h"
#include "gui/widgets/page.h"

class QLabel;
class QScrollArea;

namespace lockstep::gui {

class OverviewWorkload;
class TextColumn;

/// Paints an Overview: sentences first, with links to their comparisons, then four pictures and the table of each
/// workload. While a campaign runs, texts and numbers change in place, and what is at the top of the page stays there.
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
  void show_parts(const Overview& overview);
  /// The link at this place of the findings.
  void open_comparison(const QString& place);
  void show_workloads(const std::vector<Overview::Workload>& workloads);
  void read_traces(const std::vector<store::LaunchRow>& launches);

  Overview shown_;
  Breakdowns known_;  ///< of recorded launches that have been read
  QScrollArea* area_;
  QLabel* title_;
  TextColumn *findings_, *setup_;
  QLabel* setup_title_;
  class QVBoxLayout* column_;                       ///< of the workloads
  std::map<std::string, OverviewWorkload*> parts_;  ///< by name
};

}  // namespace lockstep::gui
