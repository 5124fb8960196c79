#include "gui/widgets/pages/convergence.h"

#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <array>

#include "gui/core/column_choice.h"
#include "gui/core/text.h"
#include "gui/widgets/chart_view.h"
#include "gui/widgets/choice.h"
#include "gui/widgets/flow_layout.h"
#include "gui/widgets/table_heads.h"
#include "gui/widgets/table_view.h"

namespace lockstep::gui {

namespace {
constexpr std::array kConvergenceOptions = {"convergence.workload", "convergence.metric", "convergence.against",
                                            "convergence.smooth", "convergence.scale"};
}

ConvergencePage::ConvergencePage(Session& session, Loader& loader)
    : Page(session, loader),
      workload_(new Choice(session, kConvergenceOptions[0], "&Workload", {})),
      metric_(new Choice(session, kConvergenceOptions[1], "&Metric", {})),
      target_(new QLabel),
      chart_(new ChartView),
      times_(new TableView),
      heads_(new TableHeads(*times_, session, "convergence.columns", kAllColumns, TableHeads::Filter::of_cells)) {
  auto* row = new FlowLayout;
  row->addWidget(workload_);
  row->addWidget(metric_);
  row->addWidget(new Choice(session, kConvergenceOptions[2], "&Against",
                            {{"steps", "steps"},
                             {"samples", "samples"},
                             {"tokens", "tokens"},
                             {"time", "wall time"},
                             {"device_hours", "device-hours"}}));
  row->addWidget(
      new Choice(session, kConvergenceOptions[3], "&Curve", {{"smoothed", "raw under smoothed"}, {"raw", "raw"}}));
  row->addWidget(new Choice(session, kConvergenceOptions[4], "Axi&s", {{"linear", "linear"}, {"log", "logarithmic"}}));
  target_->setMinimumHeight(workload_->sizeHint().height());  // in line with the choices
  row->addWidget(target_);
  content()->addLayout(row);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(chart_);
  split->addWidget(times_);
  split->setStretchFactor(0, 3), split->setStretchFactor(1, 1);
  content()->addWidget(split, 1);
  connect(chart_, &ChartView::picked, this,
          [this](const QString& key) { this->session().change([&](ViewState& view) { view.cell = utf8(key); }); });
}

bool ConvergencePage::concerns(const ViewState& before) const {
  return Page::concerns(before) || session().view().differs_in(before, kConvergenceOptions);
}

void ConvergencePage::load() {
  const ViewState view = session().view();
  ask<Convergence>(
      "losses", [view](store::Store& store) { return load_convergence(store, view); },
      [this](std::shared_ptr<const Convergence> convergence) { show_convergence(*convergence); });
}

void ConvergencePage::show_convergence(const Convergence& convergence) {
  shown_ = convergence;
  say(qt(convergence.words));
  workload_->set_entries(entries_of(convergence.workloads));
  metric_->set_entries(entries_of({convergence.metrics.rbegin(), convergence.metrics.rend()}));
  target_->setText(convergence.target.empty() ? QString() : "target: " + qt(convergence.target));
  chart_->set_chart(convergence.chart);
  times_->setVisible(!convergence.times.rows.empty());
  heads_->set_rows(std::make_shared<TableRows>(convergence.times));
  restyle();
}

void ConvergencePage::restyle() {
  chart_->set_brushed(session().view().cell);
  chart_->set_hidden(session().view().hidden);
  times_->choose(session().view().cell);
}

std::vector<report::Table> ConvergencePage::tables() const {
  std::vector<report::Table> out{shown_.chart.table};
  if (!shown_.times.rows.empty()) out.push_back(times_->shown().shown());
  return out;
}

}  // namespace lockstep::gui
