#include "gui/widgets/pages/scaling.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <array>

#include "gui/core/column_choice.h"
#include "gui/core/text.h"
#include "gui/widgets/chart_view.h"
#include "gui/widgets/choice.h"
#include "gui/widgets/table_heads.h"
#include "gui/widgets/table_view.h"

namespace lockstep::gui {

namespace {
constexpr std::array kScalingOptions = {"scaling.workload", "scaling.metric", "scaling.model"};
}

ScalingPage::ScalingPage(Session& session, Loader& loader)
    : Page(session, loader),
      workload_(new Choice(session, kScalingOptions[0], "&Workload", {})),
      metric_(
          new Choice(session, kScalingOptions[1], "&Metric", {{"throughput", "throughput"}, {"time", "time a step"}})),
      kind_(new QLabel),
      speed_(new ChartView),
      efficiency_(new ChartView),
      table_(new TableView),
      heads_(new TableHeads(*table_, session, "scaling.columns", kAllColumns, TableHeads::Filter::of_cells)) {
  auto* row = new QHBoxLayout;
  row->addWidget(workload_);
  row->addWidget(metric_);
  row->addWidget(
      new Choice(session, kScalingOptions[2], "Mo&del", {{"none", "none"}, {"amdahl", "Amdahl's law, fitted"}}));
  row->addWidget(kind_);
  row->addStretch(1);
  content()->addLayout(row);
  auto* charts = new QSplitter;
  charts->addWidget(speed_);
  charts->addWidget(efficiency_);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(charts);
  split->addWidget(table_);
  split->setStretchFactor(0, 3), split->setStretchFactor(1, 1);
  split->setSizes({480, 200});
  content()->addWidget(split, 1);
  const auto brush = [this](const QString& key) {
    this->session().change([&](ViewState& view) { view.cell = utf8(key); });
  };
  connect(table_, &TableView::chosen, this, brush);
  for (ChartView* chart : {speed_, efficiency_}) connect(chart, &ChartView::picked, this, brush);
}

bool ScalingPage::concerns(const ViewState& before) const {
  return Page::concerns(before) || before.base != session().view().base ||
         session().view().differs_in(before, kScalingOptions);
}

void ScalingPage::load() {
  const ViewState view = session().view();
  ask<Scaling>(
      "scaling", [view](store::Store& store) { return load_scaling(store, view); },
      [this](std::shared_ptr<const Scaling> scaling) { show_scaling(*scaling); });
}

void ScalingPage::show_scaling(const Scaling& scaling) {
  shown_ = scaling;
  say(qt(scaling.words));
  workload_->set_entries(entries_of(scaling.workloads));
  kind_->setText(qt(scaling.scaling));
  speed_->set_chart(scaling.speed);
  efficiency_->set_chart(scaling.efficiency);
  heads_->set_rows(std::make_shared<TableRows>(scaling.table));
  restyle();
}

void ScalingPage::restyle() {
  const ViewState& view = session().view();
  for (ChartView* chart : {speed_, efficiency_}) chart->set_brushed(view.cell), chart->set_hidden(view.hidden);
  table_->choose(view.cell);
}

std::vector<report::Table> ScalingPage::tables() const { return {table_->shown().shown()}; }

}  // namespace lockstep::gui
