#include "gui/widgets/pages/overview.h"

#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "gui/core/campaign.h"
#include "gui/core/text.h"
#include "gui/widgets/chart_view.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"

namespace lockstep::gui {
namespace {

// What stays the same while a campaign runs: then numbers change in place, and nothing moves.
std::vector<std::string> shape_of(const Overview& overview) {
  std::vector<std::string> out{overview.title};
  for (const Overview::Workload& workload : overview.workloads) {
    out.push_back(workload.name);
    for (const Chart& chart : workload.charts) {
      out.push_back(chart.title + std::to_string(chart.y.categories.size()));
    }
    out.push_back(std::to_string(workload.table.rows.size()));
  }
  return out;
}

}  // namespace

OverviewPage::OverviewPage(Session& session, Loader& loader) : Page(session, loader), area_(new QScrollArea) {
  area_->setWidgetResizable(true);
  area_->setFrameShape(QFrame::NoFrame);
  content()->addWidget(area_);
}

void OverviewPage::load() {
  const ViewState view = session().view();
  ask<Overview>(
      "overview", [view](store::Store& store) { return load_overview(store, view); },
      [this](std::shared_ptr<const Overview> overview) { show_overview(*overview); });
}

std::vector<report::Table> OverviewPage::tables() const {
  std::vector<report::Table> out;
  for (const Overview::Workload& workload : shown_.workloads) {
    out.push_back(workload.table);
    for (const Chart& chart : workload.charts) out.push_back(chart.table);
  }
  if (!shown_.comparisons.rows.empty()) out.push_back(shown_.comparisons);
  return out;
}

void OverviewPage::show_overview(const Overview& overview) {
  if (overview.title.empty()) say(kNoCampaign);
  const int down = area_->verticalScrollBar()->value();
  const bool same = shape_of(overview) == shape_of(shown_) && overview.findings == shown_.findings &&
                    overview.counts == shown_.counts;
  shown_ = overview;
  if (!same || area_->widget() == nullptr) {
    rebuild(overview);
    area_->verticalScrollBar()->setValue(down);
  } else {
    size_t chart = 0, table = 0;
    for (const Overview::Workload& workload : overview.workloads) {
      for (const Chart& one : workload.charts) charts_[chart++]->set_chart(one);
      tables_[table++]->set_table(workload.table);
    }
  }
  restyle();
}

void OverviewPage::rebuild(const Overview& overview) {
  charts_.clear(), tables_.clear();
  auto* all = new QWidget;
  auto* column = new QVBoxLayout(all);
  column->setSpacing(10);
  if (!overview.title.empty()) {
    column->addWidget(heading_label(qt(overview.title), 1));
    column->addWidget(text_label(qt(overview.counts)));
    for (const std::string& finding : overview.findings) {
      column->addWidget(finding_label(finding));
    }
    if (overview.findings.empty()) {
      column->addWidget(text_label("Nothing can be compared yet: it takes two cells with finished launches."));
    }
  }
  for (const Overview::Workload& workload : overview.workloads) column->addWidget(workload_part(workload));
  if (!overview.setup.empty()) {
    column->addWidget(heading_label("How it was measured", 2));
    for (const report::Fact& fact : overview.setup) {
      column->addWidget(text_label(QString("<b>%1</b>&nbsp; %2").arg(escaped(fact.name), escaped(fact.text)), true));
    }
  }
  column->addStretch(1);
  area_->setWidget(all);
}

QWidget* OverviewPage::workload_part(const Overview::Workload& workload) {
  auto* part = new QWidget;
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(0, 12, 0, 0);
  column->addWidget(heading_label(qt(workload.name), 2));
  column->addWidget(text_label(qt(workload.title)));
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(18);
  int i = 0;
  for (const Chart& chart : workload.charts) {
    auto* view = new ChartView;
    view->set_chart(chart);
    connect(view, &ChartView::picked, this,
            [this](const QString& key) { session().change([&](ViewState& state) { state.cell = utf8(key); }); });
    auto* box = new QVBoxLayout;
    box->addWidget(heading_label(qt(chart.title), 3));
    box->addWidget(view, 1);
    grid->addLayout(box, i / 2, i % 2);
    grid->setColumnStretch(i % 2, 1);
    charts_.push_back(view);
    ++i;
  }
  column->addLayout(grid);
  for (const std::string& missing : workload.missing) column->addWidget(text_label(qt(missing)));
  auto* table = new TableView;
  table->set_table(workload.table);
  table->fit_height();
  connect(table, &TableView::chosen, this,
          [this](const QString& cell) { session().change([&](ViewState& state) { state.cell = utf8(cell); }); });
  column->addWidget(table);
  tables_.push_back(table);
  return part;
}

void OverviewPage::restyle() {
  const ViewState& view = session().view();
  for (ChartView* chart : charts_) {
    chart->set_brushed(view.cell);
    chart->set_hidden(view.hidden);
  }
  for (TableView* table : tables_) table->choose(view.cell);
}

}  // namespace lockstep::gui
