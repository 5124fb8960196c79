#include "gui/widgets/pages/strategies.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSplitter>
#include <QTextBrowser>
#include <QTimer>
#include <QVBoxLayout>
#include <array>

#include "gui/core/campaign.h"
#include "gui/core/column_choice.h"
#include "gui/core/pages/terms_table.h"
#include "gui/core/text.h"
#include "gui/widgets/choice.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/schedule_view.h"
#include "gui/widgets/table_heads.h"
#include "gui/widgets/table_view.h"
#include "reference_trainer/plan/terms/terms_of.h"
#include "results/report/headings.h"

namespace lockstep::gui {
namespace {

constexpr int kTermRows = 12;       // that are seen without scrolling, at least
constexpr int kWidestAnswer = 230;  // pixels of a system's answer: the tooltip has all of it
constexpr const char* kPointing = "Point at a box, or go from box to box by arrow keys, to see what it is.";
constexpr const char* kScheduleZoom = "strategies.schedule";

QString joined_lines(const std::vector<std::string>& lines) {
  QStringList out;
  for (const std::string& line : lines) out << qt(line);
  return out.join('\n');
}

void show_text(QLabel* label, const QString& text) {
  label->setText(text);
  label->setVisible(!text.isEmpty());
}

void show_table(TableView* view, const report::Table& table) {
  view->set_table(table);
  view->fit_height();
  view->setVisible(!table.rows.empty());
}

std::vector<std::string> heads_of(const TableView& view) { return report::headings(view.shown().shown()); }

/// Answers with long reasons leave room for numbers.
void narrow(TableView& view) {
  for (int i = 1; i < view.shown().columnCount(); ++i) {
    const int widest = std::max(kWidestAnswer, view.horizontalHeader()->sectionSizeHint(i));
    view.setColumnWidth(i, std::min(view.columnWidth(i), widest));
  }
}

}  // namespace

StrategiesPage::StrategiesPage(Session& session, Loader& loader)
    : Page(session, loader),
      area_(new QScrollArea),
      workload_(new Choice(session, "strategies.workload", "&Workload", {{"", "that of the chosen cell"}})),
      campaign_(text_label("")),
      no_cells_(text_label("")),
      facts_(new QTextBrowser),
      terms_(new TableView),
      cells_(new TableView),
      heads_(new TableHeads(*terms_, session, "strategies.columns", kAllColumns, TableHeads::Filter::none)),
      strategy_(new QLineEdit),
      origin_(text_label("")),
      schedule_title_(heading_label("", 3)),
      no_schedule_(text_label("")),
      told_(text_label("")),
      schedule_words_(text_label("")),
      schedule_(new ScheduleView),
      plan_title_(heading_label("", 3)),
      plan_lines_(text_label("")),
      no_plan_(text_label("")),
      plan_notes_(text_label("")),
      sent_(new TableView),
      memory_(new TableView) {
  area_->setWidgetResizable(true);
  area_->setFrameShape(QFrame::NoFrame);
  auto* all = new QWidget;
  auto* column = new QVBoxLayout(all);
  column->addWidget(terms_part(), 1);
  column->addWidget(strategy_part());
  area_->setWidget(all);
  content()->addWidget(area_);
  for (QWidget* until_there_is_something : std::initializer_list<QWidget*>{cells_, sent_, memory_, schedule_, told_}) {
    until_there_is_something->hide();
  }
  connect(&loader, &Loader::store_changed, this, [this] {
    store_moved_ = true;
    refresh();
  });
}

QWidget* StrategiesPage::terms_part() {
  auto* part = new QWidget;
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(0, 0, 0, 0);
  auto* row = new QHBoxLayout;
  row->addWidget(campaign_, 1);
  row->addWidget(workload_);
  column->addLayout(row);
  terms_->setMinimumHeight((kTermRows + 2) * terms_->verticalHeader()->defaultSectionSize());
  facts_->setAccessibleName("The chosen term");
  facts_->setMinimumWidth(220);
  auto* split = new QSplitter;
  split->addWidget(terms_);
  split->addWidget(facts_);
  split->setStretchFactor(0, 3), split->setStretchFactor(1, 1);
  split->setSizes({900, 330});
  column->addWidget(split, 1);
  column->addWidget(no_cells_);
  column->addWidget(cells_);
  connect(terms_, &TableView::chosen, this, &StrategiesPage::choose);
  connect(terms_, &TableView::opened, this, [this](const QString& term) {
    session().change([&](ViewState& view) { open_launches(view, *strategies_, utf8(term)); });
  });
  connect(cells_, &TableView::chosen, this, [this](const QString& cell) {
    strategy_->setModified(false);
    session().change([&](ViewState& view) { choose_cell(view, utf8(cell)); });
  });
  return part;
}

QWidget* StrategiesPage::strategy_part() {
  auto* part = new QWidget;
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(0, 8, 0, 0);
  auto* row = new QHBoxLayout;
  auto* name = new QLabel("S&trategy");
  name->setBuddy(strategy_);
  strategy_->setAccessibleName("Strategy");
  strategy_->setPlaceholderText("pp4/1f1b:m=8; empty: that of the chosen cell");
  strategy_->setClearButtonEnabled(true);
  strategy_->setMinimumWidth(360);
  row->addWidget(name);
  row->addWidget(strategy_);
  row->addWidget(origin_, 1);
  column->addLayout(row);
  told_->setText(kPointing);
  for (QWidget* widget :
       std::initializer_list<QWidget*>{schedule_title_, schedule_, told_, no_schedule_, schedule_words_, plan_title_,
                                       plan_lines_, no_plan_, sent_, memory_, plan_notes_}) {
    column->addWidget(widget);
  }
  connect(strategy_, &QLineEdit::returnPressed, this, [this] {
    const std::string typed = utf8(strategy_->text().trimmed());
    strategy_->setModified(false);
    if (typed == shown_->strategy) return;
    session().change([&](ViewState& view) { choose_strategy(view, typed); });
  });
  connect(schedule_, &ScheduleView::told, told_,
          [this](const QString& words) { told_->setText(words.isEmpty() ? kPointing : words); });
  connect(schedule_, &ScheduleView::span_wanted, this, [this](double from, double to) {
    session().change(
        [&](ViewState& view) {
          if (from == to) view.zooms.erase(kScheduleZoom);
          if (from != to) view.zooms[kScheduleZoom] = {from, to};
        },
        kScheduleZoom);
  });
  return part;
}

bool StrategiesPage::concerns(const ViewState& before) const {
  const ViewState& now = session().view();
  constexpr std::array options = {"strategies.strategy", "strategies.workload", "strategies.beside"};
  return Page::concerns(before) || before.cell != now.cell || now.differs_in(before, options);
}

void StrategiesPage::load() {
  const ViewState view = session().view();
  // What a click asks for does not read the campaign again.
  if (store_moved_ || view.campaign != asked_campaign_ || view.filter != asked_filter_) {
    store_moved_ = false, asked_campaign_ = view.campaign, asked_filter_ = view.filter;
    ask<Strategies>(
        "strategies", [view](store::Store& store) { return load_strategies(store, view); },
        [this](std::shared_ptr<const Strategies> strategies) { show_strategies(std::move(strategies)); });
  }
  ask<ShownStrategy>(
      "strategy", [view](store::Store& store) { return load_shown_strategy(store, view); },
      [this](std::shared_ptr<const ShownStrategy> shown) { show_strategy(std::move(shown)); });
}

void StrategiesPage::show_strategies(std::shared_ptr<const Strategies> strategies) {
  strategies_ = std::move(strategies);
  say_what_is_missing();
  std::vector<std::pair<std::string, QString>> names{{"", "that of the chosen cell"}};
  for (const Strategies::Workload& one : strategies_->workloads) {
    names.emplace_back(one.group.workload, qt(one.group.workload));
  }
  workload_->set_entries(std::move(names));
  show_terms();
}

void StrategiesPage::show_strategy(std::shared_ptr<const ShownStrategy> shown) {
  say_what_is_missing();
  const bool moved = shown->workload != shown_->workload;
  shown_ = std::move(shown);
  if (moved) show_terms();
  if (!strategy_->isModified()) strategy_->setText(qt(shown_->strategy));  // else somebody is typing
  origin_->setText(qt(!shown_->refused.empty()  ? shown_->refused
                      : shown_->warning.empty() ? shown_->origin
                                                : shown_->warning));
  show_schedule();
  show_plan();
  restyle();
}

// Each answer clears what was said above the page.
void StrategiesPage::say_what_is_missing() {
  if (strategies_->campaign.empty()) say(kNoCampaign);
}

void StrategiesPage::show_terms() {
  const Strategies::Workload* workload = strategies_->find(shown_->workload);
  const std::vector<std::string> heads = heads_of(*terms_);
  heads_->set_rows(std::make_shared<TableRows>(workload != nullptr ? workload->terms : strategies_->terms));
  if (heads_of(*terms_) != heads) narrow(*terms_);  // else widths are what a person made them
  const std::string what =
      "Every term of a strategy: which system does it, whether its work was proved equal (in the whole store)";
  campaign_->setText(
      qt(strategies_->campaign.empty()
             ? what + "."
             : fmt::format("{}, and the fastest cell with it (in campaign {}, on {}).", what, strategies_->campaign,
                           shown_->workload.empty() ? "no workload" : shown_->workload)));
  show_details();
}

void StrategiesPage::show_details() {
  const std::string term = session().view().option("strategies.term", "");
  const bool moved = term != details_of_;
  details_of_ = term;
  terms_->choose(term);
  // Once everything has its place; what somebody has scrolled away from stays where it is.
  if (moved) QTimer::singleShot(0, terms_, [table = terms_] { table->scrollTo(table->currentIndex()); });
  const terms::Row* row = terms::row_written(term);
  if (row == nullptr || strategies_->systems.empty()) {
    facts_->setPlainText(
        "Choose a term for its details, its cells and a strategy that has it. Enter opens its launches.");
    show_text(no_cells_, "");
    show_table(cells_, {});
    return;
  }
  facts_->setHtml(facts_html(term_facts(*row, strategies_->systems)));
  const Strategies::Workload* workload = strategies_->find(shown_->workload);
  const report::Table cells = workload == nullptr
                                  ? report::Table{}
                                  : term_results(workload->group, term, strategies_->filter, strategies_->number);
  show_table(cells_, cells);
  show_text(
      no_cells_,
      cells.rows.empty()
          ? qt(fmt::format("No cell of the shown campaign has {} on this workload, or the filter hides it.", term))
          : QString());
  cells_->choose(session().view().cell);
}

void StrategiesPage::show_schedule() {
  const bool there = shown_->schedule.has_value();
  show_text(schedule_title_, there ? qt("Schedule " + shown_->schedule->title) : QString());
  schedule_->setVisible(there), told_->setVisible(there);
  show_text(no_schedule_, qt(shown_->no_schedule));
  show_text(schedule_words_, there ? joined_lines(shown_->schedule->words) : QString());
  if (there) schedule_->set_picture(*shown_->schedule);
}

void StrategiesPage::show_plan() {
  const bool there = shown_->plan.has_value();
  const QString workload = qt(shown_->workload);
  show_text(plan_title_, shown_->refused.empty() ? "Step plan" + (workload.isEmpty() ? "" : " on " + workload) +
                                                       ", as the reference trainer does it"
                                                 : QString());
  show_text(plan_lines_, there ? joined_lines(shown_->plan->lines) : QString());
  QString nothing = qt(shown_->no_plan);
  if (there && shown_->plan->sent.rows.empty()) nothing = "Nothing is sent.";
  show_text(no_plan_, nothing);
  show_table(sent_, there ? shown_->plan->sent : report::Table{});
  show_table(memory_, there ? shown_->plan->memory : report::Table{});
  std::vector<std::string> notes;
  if (there) {
    notes = shown_->plan->words;
    for (const report::Table* table : {&shown_->plan->sent, &shown_->plan->memory}) {
      for (const std::string& note : report::notes_of(*table)) notes.push_back(note);
    }
  }
  show_text(plan_notes_, joined_lines(notes));
}

void StrategiesPage::choose(const QString& term) {
  strategy_->setModified(false);
  session().change([&](ViewState& view) { choose_term(view, *strategies_, shown_->workload, utf8(term)); },
                   "strategies.term");
}

void StrategiesPage::restyle() {
  const auto zoom = session().view().zooms.find(kScheduleZoom);
  const bool zoomed = zoom != session().view().zooms.end() && zoom->second.first < schedule_->picture().makespan;
  schedule_->set_span(zoomed ? zoom->second.first : 0,
                      zoomed ? std::min(zoom->second.second, schedule_->picture().makespan) : 0);
  if (session().view().option("strategies.term", "") != details_of_) show_details();
  cells_->choose(session().view().cell);
}

std::vector<report::Table> StrategiesPage::tables() const {
  std::vector<report::Table> out{terms_->shown().shown()};
  if (!cells_->shown().rows().columns().empty()) out.push_back(cells_->shown().shown());
  if (shown_->schedule) out.push_back(shown_->schedule->table);
  if (shown_->plan) {
    if (!shown_->plan->sent.rows.empty()) out.push_back(sent_->shown().shown());
    out.push_back(memory_->shown().shown());
  }
  return out;
}

}  // namespace lockstep::gui
