#include "gui/widgets/pages/overview_workload.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/core/text.h"
#include "gui/widgets/chart_view.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/text_column.h"

namespace lockstep::gui {

OverviewWorkload::OverviewWorkload(const std::string& name)
    : title_(text_label({})), grid_(new QGridLayout), missing_(new TextColumn), table_(new TableView) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 12, 0, 0);
  grid_->setHorizontalSpacing(18);
  grid_->setColumnStretch(0, 1), grid_->setColumnStretch(1, 1);
  column->addWidget(heading_label(qt(name), 2));
  column->addWidget(title_);
  column->addLayout(grid_);
  column->addWidget(missing_);
  column->addWidget(table_);
  connect(table_, &TableView::chosen, this, &OverviewWorkload::picked);
}

OverviewWorkload::Picture OverviewWorkload::make_picture(const std::string& title) {
  Picture out{title, new QWidget, new ChartView};
  auto* column = new QVBoxLayout(out.box);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(heading_label(qt(title), 3));
  column->addWidget(out.view, 1);
  connect(out.view, &ChartView::picked, this, &OverviewWorkload::picked);
  return out;
}

// In the order of the charts, two in a row.
void OverviewWorkload::place_pictures(const std::vector<Chart>& charts) {
  std::vector<Picture> placed;
  for (const Chart& chart : charts) {
    const auto known =
        std::find_if(pictures_.begin(), pictures_.end(), [&](const Picture& p) { return p.title == chart.title; });
    placed.push_back(known == pictures_.end() ? make_picture(chart.title) : *known);
    if (known != pictures_.end()) pictures_.erase(known);
  }
  for (const Picture& gone : pictures_) delete gone.box;
  pictures_ = std::move(placed);
  for (size_t i = 0; i < pictures_.size(); ++i) {
    grid_->addWidget(pictures_[i].box, static_cast<int>(i / 2), static_cast<int>(i % 2));
    pictures_[i].box->show();
  }
}

void OverviewWorkload::show_workload(const Overview::Workload& workload) {
  if (title_->text() != qt(workload.title)) title_->setText(qt(workload.title));
  const bool same = std::equal(pictures_.begin(), pictures_.end(), workload.charts.begin(), workload.charts.end(),
                               [](const Picture& picture, const Chart& chart) { return picture.title == chart.title; });
  if (!same) place_pictures(workload.charts);
  for (size_t i = 0; i < pictures_.size(); ++i) pictures_[i].view->set_chart(workload.charts[i]);
  std::vector<QString> missing;
  for (const std::string& one : workload.missing) missing.push_back(escaped(one));
  missing_->set_texts(missing);
  table_->set_table(workload.table);
  table_->fit_height();
}

void OverviewWorkload::restyle(const ViewState& view) {
  for (const Picture& picture : pictures_) {
    picture.view->set_brushed(view.cell);
    picture.view->set_hidden(view.hidden);
  }
  table_->choose(view.cell);
}

}  // namespace lockstep::gui
