#include "gui/widgets/pages/overview.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/core/campaign.h"
#include "gui/core/text.h"
#include "gui/widgets/keep_in_sight.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/pages/overview_workload.h"
#include "gui/widgets/text_column.h"

namespace lockstep::gui {
namespace {

const QString kTraces = "recorded steps";  // what the status bar calls it

// What stands before the first colon is bold. The target of a link is its place among the findings, "2.0".
QString finding_html(const std::vector<Said>& finding, size_t number) {
  QString out;
  bool bold = true;
  for (size_t i = 0; i < finding.size(); ++i) {
    const std::string& text = finding[i].text;
    const size_t label = bold ? std::min(text.find(": "), text.size()) : 0;
    if (label < text.size()) bold = false;
    QString words = escaped(text.substr(label));
    if (label > 0) words = "<b>" + escaped(text.substr(0, label)) + "</b>" + words;
    out += finding[i].compare_a.empty() ? words : QString("<a href=\"%1.%2\">%3</a>").arg(number).arg(i).arg(words);
  }
  return out;
}

std::vector<QString> findings_of(const Overview& overview) {
  if (overview.title.empty()) return {};
  std::vector<QString> out{escaped(overview.counts)};
  if (!overview.never_started.empty()) out.push_back(QString("<b>%1</b>").arg(escaped(overview.never_started)));
  for (size_t i = 0; i < overview.findings.size(); ++i) out.push_back(finding_html(overview.findings[i], i));
  if (overview.findings.empty()) {
    out.emplace_back("Nothing can be compared yet: it takes two cells with finished launches.");
  }
  return out;
}

std::vector<QString> setup_of(const Overview& overview) {
  std::vector<QString> out;
  for (const report::Fact& fact : overview.setup) {
    out.push_back(QString("<b>%1</b>&nbsp; %2").arg(escaped(fact.name), escaped(fact.text)));
  }
  return out;
}

}  // namespace

OverviewPage::OverviewPage(Session& session, Loader& loader)
    : Page(session, loader),
      area_(new QScrollArea),
      title_(heading_label({}, 1)),
      findings_(new TextColumn),
      setup_(new TextColumn),
      setup_title_(heading_label("How it was measured", 2)),
      column_(new QVBoxLayout) {
  area_->setWidgetResizable(true);
  area_->setFrameShape(QFrame::NoFrame);
  content()->addWidget(area_);
  auto* all = new QWidget;
  auto* column = new QVBoxLayout(all);
  column->setSpacing(10);
  column->addWidget(title_);
  column->addWidget(findings_);
  column->addLayout(column_);
  column->addWidget(setup_title_);
  column->addWidget(setup_);
  column->addStretch(1);
  area_->setWidget(all);
  findings_->set_link_words("Tab, then Enter opens Compare with these two sides");
  connect(findings_, &TextColumn::link_opened, this, &OverviewPage::open_comparison);
  show_parts({});
}

void OverviewPage::load() {
  const ViewState view = session().view();
  ask<Overview>(
      "overview", [view, known = known_](store::Store& store) { return load_overview(store, view, known); },
      [this](std::shared_ptr<const Overview> overview) { show_overview(*overview); });
}

void OverviewPage::read_traces(const std::vector<store::LaunchRow>& launches) {
  ask_long<Breakdowns>(
      kTraces, [launches](store::Store& store, const Job& job) { return read_breakdowns(store, launches, job); },
      [this](std::shared_ptr<const Breakdowns> read) {
        known_.insert(read->begin(), read->end());
        load();
      });
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
  shown_ = overview;
  keep_in_sight(*area_, [&] { show_parts(overview); });
  restyle();
  if (!overview.unread.empty() && !is_open(kTraces)) read_traces(overview.unread);
}

void OverviewPage::open_comparison(const QString& place) {
  const size_t finding = place.section('.', 0, 0).toULong(), part = place.section('.', 1).toULong();
  if (finding >= shown_.findings.size() || part >= shown_.findings[finding].size()) return;
  const Said said = shown_.findings[finding][part];
  session().change([&](ViewState& view) {
    view.page = "compare", view.compare_a = said.compare_a, view.compare_b = said.compare_b;
    view.options.erase("compare.verdict");
  });
}

void OverviewPage::show_parts(const Overview& overview) {
  if (title_->text() != qt(overview.title)) title_->setText(qt(overview.title));
  title_->setVisible(!overview.title.empty());
  findings_->set_texts(findings_of(overview));
  show_workloads(overview.workloads);
  setup_title_->setVisible(!overview.setup.empty());
  setup_->set_texts(setup_of(overview));
}

void OverviewPage::show_workloads(const std::vector<Overview::Workload>& workloads) {
  std::erase_if(parts_, [&](const auto& part) {
    const bool stays =
        std::any_of(workloads.begin(), workloads.end(), [&](const auto& one) { return one.name == part.first; });
    if (!stays) delete part.second;
    return !stays;
  });
  int place = 0;
  for (const Overview::Workload& workload : workloads) {
    OverviewWorkload*& part = parts_[workload.name];
    if (part == nullptr) {
      part = new OverviewWorkload(workload.name);
      connect(part, &OverviewWorkload::picked, this,
              [this](const QString& cell) { session().change([&](ViewState& state) { state.cell = utf8(cell); }); });
      column_->insertWidget(place, part);
      part->show();
    }
    part->show_workload(workload);
    ++place;
  }
}

void OverviewPage::restyle() {
  for (const auto& [name, part] : parts_) part->restyle(session().view());
}

}  // namespace lockstep::gui
