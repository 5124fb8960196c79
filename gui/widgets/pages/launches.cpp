#include "gui/widgets/pages/launches.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <array>

#include "adapters/contract/plural.h"
#include "gui/core/column_choice.h"
#include "gui/core/text.h"
#include "gui/widgets/choice.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/table_heads.h"
#include "gui/widgets/table_view.h"

namespace lockstep::gui {

namespace {
const QString kFigures = "figures of launches";  // what the status bar calls it
constexpr std::array kLaunchOptions = {"launches.scope", "launches.group", "launches.columns"};
const std::vector<std::pair<std::string, QString>> kColumnEntries{{kDifferingColumns, "that differ"},
                                                                  {kAllColumns, "all"}};
}  // namespace
LaunchesPage::LaunchesPage(Session& session, Loader& loader)
    : Page(session, loader),
      scope_(
          new Choice(session, kLaunchOptions[0], "&Of", {{"campaign", "this campaign"}, {"store", "the whole store"}})),
      group_(new Choice(session, kLaunchOptions[1], "A &row is",
                        {{"launch", "a launch"}, {"cell", "a cell, with medians"}})),
      columns_(new Choice(session, kLaunchOptions[2], "C&olumns", kColumnEntries)),
      count_(new QLabel),
      table_(new TableView),
      heads_(new TableHeads(*table_, session, kLaunchOptions[2], kDifferingColumns, TableHeads::Filter::all)),
      facts_(new QTextBrowser) {
  auto* row = new QHBoxLayout;
  for (QWidget* widget :
       {static_cast<QWidget*>(scope_), static_cast<QWidget*>(group_), static_cast<QWidget*>(columns_)}) {
    row->addWidget(widget);
  }
  auto* chooser = new QPushButton("C&hoose...");
  chooser->setToolTip("Choose columns one by one; also in the context menu of the table and its heads");
  chooser->setAccessibleName("Choose columns");
  connect(chooser, &QPushButton::clicked, heads_, &TableHeads::choose);
  row->addWidget(chooser);
  count_->setWordWrap(true);  // a base's name may be long
  row->addWidget(count_, 1);
  content()->addLayout(row);
  facts_->setAccessibleName("The chosen launch");
  facts_->setMinimumWidth(220);
  auto* split = new QSplitter;
  split->addWidget(table_);
  split->addWidget(facts_);
  split->setStretchFactor(0, 4), split->setStretchFactor(1, 1);
  split->setSizes({1000, 320});
  content()->addWidget(split, 1);
  connect(table_, &TableView::chosen, this, &LaunchesPage::choose);
  connect(table_, &TableView::opened, this, [this](const QString& key) {
    choose(key);
    this->session().change([&](ViewState& view) {
      if (view.launch.empty()) {
        view.options["launches.group"] = "launch", view.filter = "";
      } else {
        view.page = "timeline";
      }
    });
  });
}

bool LaunchesPage::by_cell() const { return group_->value() == "cell" && scope_->value() == "campaign"; }

bool LaunchesPage::concerns(const ViewState& before) const {
  const ViewState& now = session().view();
  return Page::concerns(before) || before.base != now.base || now.differs_in(before, kLaunchOptions);
}

// Rows that are shown already are not taken away while they are read again.
void LaunchesPage::load() {
  const ViewState& view = session().view();
  const bool same = view.campaign == asked_.campaign && !view.differs_in(asked_, kLaunchOptions);
  ask_launches(same && table_->model()->rowCount() > 0 ? Reading::all_rows : Reading::first_rows);
  ask_facts();
}

void LaunchesPage::ask_launches(Reading reading) {
  asked_ = session().view();
  ask<Launches>(
      "launches",
      [view = asked_, reading, known = figures_](store::Store& store) {
        return load_launches(store, view, reading, *known);
      },
      [this](std::shared_ptr<const Launches> launches) { show_launches(*launches); });
}

void LaunchesPage::ask_figures() {
  ask_long<KnownFigures>(
      kFigures,
      [view = session().view(), known = figures_](store::Store& store, const Job& job) {
        return read_figures(store, view, *known, job);
      },
      [this](std::shared_ptr<const KnownFigures> read) {
        auto all = std::make_shared<KnownFigures>(*figures_);
        all->insert(read->begin(), read->end());
        figures_ = all;
        ask_launches(Reading::all_rows);
      });
}

void LaunchesPage::show_launches(const Launches& launches) {
  say(qt(launches.words));
  heads_->set_chosen_rows(launches.shown, launches.all->columns());
  show_column_choice();
  const size_t all = launches.all->size(), shown = launches.shown->size();
  const std::string rows =
      all == shown ? plural(static_cast<int64_t>(all), "row") : fmt::format("{} of {} rows", shown, all);
  count_->setText(qt((launches.rows_missing ? fmt::format("the first {}, all others are being read", rows) : rows) +
                     (launches.base.empty() ? "" : "; base: " + launches.base)));
  restyle();
  if (launches.rows_missing) {
    ask_launches(Reading::all_rows);
  } else if (launches.figures_missing && !is_open(kFigures)) {
    ask_figures();
  }
}

void LaunchesPage::show_column_choice() {
  auto entries = kColumnEntries;
  const std::string now = session().view().option(kLaunchOptions[2], kDifferingColumns);
  if (const size_t n = keys_of(now).size(); n > 0) entries.emplace_back(now, QString("chosen (%1)").arg(n));
  columns_->set_entries(entries);
}

void LaunchesPage::choose(const QString& key) {
  const QModelIndex row = table_->model()->index(table_->shown().row_of(utf8(key)), 0);
  session().change([&](ViewState& view) {
    view.cell = utf8(row.data(TableModel::kCell).toString());  // brushed in every view, and what H and B are about
    if (!by_cell()) view.launch = utf8(key);
  });
}

void LaunchesPage::ask_facts() {
  const std::string launch = session().view().launch;
  facts_of_ = launch;
  if (launch.empty()) {
    facts_->setPlainText("Choose a launch to see everything that is known of it. Enter opens its timeline.");
    return;
  }
  ask<std::vector<report::Fact>>(
      "launch", [launch](store::Store& store) { return launch_facts(store, launch); },
      [this](std::shared_ptr<const std::vector<report::Fact>> facts) { facts_->setHtml(facts_html(*facts)); });
}

void LaunchesPage::restyle() {
  const ViewState& view = session().view();
  table_->choose(by_cell() ? view.cell : view.launch);
  if (isVisible() && facts_of_ != view.launch) ask_facts();
}

std::vector<report::Table> LaunchesPage::tables() const { return {table_->shown().shown()}; }

}  // namespace lockstep::gui
