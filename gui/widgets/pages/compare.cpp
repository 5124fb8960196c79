#include "gui/widgets/pages/compare.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "gui/core/column_choice.h"
#include "gui/core/text.h"
#include "gui/widgets/chart_view.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/table_heads.h"
#include "gui/widgets/table_view.h"

namespace lockstep::gui {
namespace {

QString lines_of(const std::vector<std::string>& lines) {
  QStringList out;
  for (const std::string& line : lines) out << escaped(line);
  return out.join("<br>");
}

void fill(QComboBox& box, const Comparison& comparison, const std::string& now) {
  const QSignalBlocker quiet(box);
  box.clear();
  for (const auto& [selector, what] : comparison.sides) {
    box.addItem(qt(selector + "   " + what), qt(selector));
  }
  box.setCurrentIndex(-1);
  box.setEditText(qt(now));
}

}  // namespace

ComparePage::ComparePage(Session& session, Loader& loader)
    : Page(session, loader),
      a_(side_box("Side A")),
      b_(side_box("Side B")),
      verdict_(heading_label({}, 1)),
      head_(text_label({}, true)),
      foot_(text_label({}, true)),
      verdicts_(new TableView),
      environments_(new TableView),
      heads_(new TableHeads(*verdicts_, session, "compare.columns", kAllColumns, TableHeads::Filter::none)),
      launches_(new ChartView),
      distribution_(new ChartView) {
  auto* row = new QHBoxLayout;
  auto* swap = new QPushButton("S&wap");
  swap->setToolTip("A becomes B and B becomes A");
  row->addWidget(new QLabel("A"));
  row->addWidget(a_, 1);
  row->addWidget(new QLabel("B"));
  row->addWidget(b_, 1);
  row->addWidget(swap);
  content()->addLayout(row);
  content()->addWidget(verdict_);
  content()->addWidget(head_);
  auto* tabs = new QTabWidget;
  auto* charts = new QSplitter;
  charts->addWidget(launches_);
  charts->addWidget(distribution_);
  tabs->addTab(charts, "Launches of the chosen &verdict");
  tabs->addTab(environments_, "&Environments");
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(verdicts_);
  split->addWidget(tabs);
  split->setStretchFactor(0, 1), split->setStretchFactor(1, 1);
  content()->addWidget(split, 1);
  content()->addWidget(foot_);
  connect(swap, &QPushButton::clicked, this, [this] {
    this->session().change([&](ViewState& view) { view.compare_a = shown_.b, view.compare_b = shown_.a; });
  });
  connect(verdicts_, &TableView::chosen, this, [this](const QString& key) {
    this->session().change([&](ViewState& view) { view.options["compare.verdict"] = utf8(key); });
  });
}

QComboBox* ComparePage::side_box(const char* name) {
  auto* box = new QComboBox;
  box->setEditable(true);
  box->setInsertPolicy(QComboBox::NoInsert);
  box->setAccessibleName(name);
  box->setMinimumContentsLength(24);
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setToolTip("A campaign or a part of one: @12, @last~1, a tag, @12/system:pytorch");
  connect(box, &QComboBox::activated, this, [this, box](int index) {
    box->setEditText(box->itemData(index).toString());
    take_sides();
  });
  connect(box->lineEdit(), &QLineEdit::returnPressed, this, &ComparePage::take_sides);
  return box;
}

void ComparePage::take_sides() {
  const std::string a = utf8(a_->currentText().trimmed()), b = utf8(b_->currentText().trimmed());
  session().change([&](ViewState& view) { view.compare_a = a, view.compare_b = b; });
}

bool ComparePage::concerns(const ViewState& before) const {
  const ViewState& now = session().view();
  return before.campaign != now.campaign || before.compare_a != now.compare_a || before.compare_b != now.compare_b ||
         before.option("compare.verdict", "") != now.option("compare.verdict", "");
}

void ComparePage::load() {
  const ViewState view = session().view();
  ask<Comparison>(
      "comparison",
      [view, known = shown_.compared](store::Store& store) { return load_comparison(store, view, known); },
      [this](std::shared_ptr<const Comparison> comparison) { show_comparison(*comparison); });
}

void ComparePage::show_comparison(const Comparison& comparison) {
  shown_ = comparison;
  say(qt(comparison.words));
  fill(*a_, comparison, comparison.a);
  fill(*b_, comparison, comparison.b);
  verdict_->setText(qt(comparison.verdict));
  head_->setText(lines_of(comparison.head));
  foot_->setText(lines_of(comparison.foot));
  heads_->set_rows(std::make_shared<TableRows>(comparison.verdicts));
  verdicts_->choose(comparison.chosen);
  environments_->set_table(comparison.environments);
  launches_->set_chart(comparison.launches);
  distribution_->set_chart(comparison.distribution);
}

std::vector<report::Table> ComparePage::tables() const {
  return {verdicts_->shown().shown(), shown_.environments, shown_.launches.table};
}

}  // namespace lockstep::gui
