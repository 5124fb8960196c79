#include "gui/widgets/pages/timeline.h"

#include <fmt/format.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <algorithm>

#include "gui/core/text.h"
#include "gui/core/timeline/comm_matrix.h"
#include "gui/core/timeline/describe.h"
#include "gui/core/timeline/diff.h"
#include "gui/core/timeline/track_filter.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/timeline_choices.h"
#include "gui/widgets/timeline_tables.h"
#include "gui/widgets/timeline_view.h"

namespace lockstep::gui {
namespace {

constexpr const char *kTime = "timeline.time", *kArea = "timeline.area", *kOf = "timeline.of";

// In proportion: two timelines need the room more than the table below them.
const QList<int> kHeightsOfTwo{430, 390, 180};

timeline::Range range_of(const std::pair<double, double>& zoom) { return {zoom.first, zoom.second}; }

}  // namespace

TimelinePage::TimelinePage(Session& session, Loader& loader)
    : Page(session, loader),
      choices_(new TimelineChoices(session)),
      notes_(text_label({})),
      details_(text_label({})),
      splitter_(new QSplitter(Qt::Vertical)),
      first_(new TimelineView),
      second_(new TimelineView),
      tables_(new TimelineTables(session)) {
  details_->setAlignment(Qt::AlignTop);
  details_->setMinimumWidth(250);
  details_->setMaximumWidth(320);
  auto* below = new QWidget;
  auto* row = new QHBoxLayout(below);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(tables_, 1);
  row->addWidget(details_);
  splitter_->addWidget(first_);
  splitter_->addWidget(second_);
  splitter_->addWidget(below);
  splitter_->setStretchFactor(0, 3);
  splitter_->setStretchFactor(1, 3);
  splitter_->setStretchFactor(2, 2);
  splitter_->setChildrenCollapsible(false);
  content()->addWidget(choices_);
  content()->addWidget(notes_);
  content()->addWidget(splitter_, 1);
  second_->setAccessibleName("Timeline of the second launch");
  second_->set_has_strip(false);
  second_->hide();
  connect(tables_, &TimelineTables::opened, this, [this](const QString& key) {
    if (!shown_.first) return;
    const auto found = timeline::longest_of(shown_.first->timeline.columns, area_of_totals(), utf8(key));
    if (found) first_->reveal(*found);
  });
  connect(tables_, &QTabWidget::currentChanged, this, &TimelinePage::ask_matrix);
  connect_view(first_, true);
  connect_view(second_, false);
}

void TimelinePage::connect_view(TimelineView* view, bool first) {
  connect(view, &TimelineView::range_wanted, this, [this, first](const timeline::Range& range) {
    const double by = first ? 0 : other_begins_later_ns_;
    change_zoom([&](ViewState& state) { state.zooms[kTime] = {range.begin_ns - by, range.end_ns - by}; }, kTime);
  });
  connect(view, &TimelineView::selection_changed, this,
          [this, view, first] { show_details(*view, first ? shown_.first : shown_.other); });
  connect(view, &TimelineView::collapse_wanted, this,
          [this](int rank) { choices_->toggle_rank(TimelineChoices::kCollapsed, rank); });
  connect(view, &TimelineView::pin_wanted, this,
          [this](int rank) { choices_->toggle_rank(TimelineChoices::kPinned, rank); });
  connect(view, &TimelineView::area_wanted, this, [this, first](const std::optional<timeline::Area>& area) {
    keep_area(first ? area : moved_area(area, false));
  });
}

void TimelinePage::keep_area(const std::optional<timeline::Area>& area) {
  change_zoom(
      [&](ViewState& state) {
        state.zooms.erase(kArea), state.options.erase(kArea);
        if (!area) return;
        state.zooms[kArea] = {area->time.begin_ns, area->time.end_ns};
        state.options[kArea] = timeline::tracks_text(shown_.first->timeline.columns, area->tracks);
      },
      kArea);
}

std::optional<timeline::Area> TimelinePage::moved_area(const std::optional<timeline::Area>& area, bool to_other) const {
  if (!area || !shown_.first || !shown_.other) return std::nullopt;
  const timeline::Columns &from = (to_other ? shown_.first : shown_.other)->timeline.columns,
                          &to = (to_other ? shown_.other : shown_.first)->timeline.columns;
  const double by = to_other ? other_begins_later_ns_ : -other_begins_later_ns_;
  return timeline::Area{{area->time.begin_ns + by, area->time.end_ns + by},
                        timeline::tracks_in(to, timeline::tracks_text(from, area->tracks))};
}

void TimelinePage::show_details(const TimelineView& view, const std::shared_ptr<const timeline::Launch>& launch) {
  details_->setText(view.selected() && launch
                        ? qt(timeline::describe(launch->timeline.columns, *view.selected()))
                        : QString("Click an activity for its numbers. Shift and drag, or Shift and arrows, choose an "
                                  "area, which the table adds up; Enter on a row of it shows the longest one. Home "
                                  "shows everything, F the selection."));
}

void TimelinePage::change_zoom(const std::function<void(ViewState&)>& edit, const QString& gesture) {
  if (!shown_.first) return;
  session().change(
      [&](ViewState& view) {
        if (!zoom_is_of_shown()) view.zooms.erase(kTime), view.zooms.erase(kArea), view.options.erase(kArea);
        view.options[kOf] = shown_.first->selector;
        edit(view);
      },
      gesture);
}

bool TimelinePage::zoom_is_of_shown() const {
  return shown_.first && session().view().option(kOf, shown_.first->selector) == shown_.first->selector;
}

bool TimelinePage::concerns(const ViewState& before) const {
  const ViewState& now = session().view();
  return Page::concerns(before) || before.launch != now.launch ||
         before.option(timeline::kOtherOption, "") != now.option(timeline::kOtherOption, "");
}

void TimelinePage::load() {
  const ViewState view = session().view();
  const std::vector<std::shared_ptr<const timeline::Launch>> known{shown_.first, shown_.other};
  ask_long<timeline::Loaded>(
      "timeline",
      [view, known](store::Store& store, const Job& job) {
        return timeline::load(store, view, known, [&](double share) { job.at(share); });
      },
      [this](std::shared_ptr<const timeline::Loaded> loaded) { show_loaded(*loaded); });
}

void TimelinePage::show_loaded(const timeline::Loaded& loaded) {
  const bool same = loaded.first == shown_.first && loaded.other == shown_.other;
  shown_ = loaded;
  if (!shown_.first) say(qt(loaded.missing));
  splitter_->setVisible(shown_.first != nullptr);
  notes_->setVisible(shown_.first != nullptr);
  choices_->show_loaded(loaded);
  show_notes();
  if (same) return;
  added_up_.reset(), matrix_of_.reset();
  first_->set_launch(shown_.first);
  second_->set_launch(shown_.other);
  const bool both = shown_.other != nullptr;
  if (both && second_->isHidden()) splitter_->setSizes(kHeightsOfTwo);
  second_->setVisible(both);
  align_other();
  show_details(*first_, shown_.first);
  if (!shown_.first) {
    tables_->set_totals({}, "Activities by name"), tables_->set_diff({}), tables_->set_matrix({});
    return;
  }
  ask_diff();
  follow_view();
}

// A step that both have begins at the same place; without one, the first activities do.
void TimelinePage::align_other() {
  other_begins_later_ns_ = 0, aligned_.clear();
  first_->set_least_names_width(0), second_->set_least_names_width(0);
  if (!shown_.other) return;
  const int names = std::max(first_->names_width(), second_->names_width());
  first_->set_least_names_width(names), second_->set_least_names_width(names);
  aligned_ = "The second launch begins where the first one does.";
  const auto &a = shown_.first->steps.begin_ns, &b = shown_.other->steps.begin_ns;
  for (const auto& [step, begin] : a) {
    const auto same = b.find(step);
    if (same == b.end() || static_cast<double>(begin) < shown_.first->opening.begin_ns) continue;
    other_begins_later_ns_ = static_cast<double>(same->second - begin);
    aligned_ = fmt::format("The second launch is moved so that step {} begins at the same place.", step);
    return;
  }
}

void TimelinePage::show_notes() {
  QStringList lines;
  if (!filter_problem_.empty()) lines << qt(filter_problem_);
  if (!shown_.missing.empty()) lines << qt(shown_.missing);  // of the second launch
  if (!shown_.redirected.empty()) lines << qt(shown_.redirected);
  if (!aligned_.empty()) lines << qt(aligned_);
  QStringList about;
  for (const auto& launch : {shown_.first, shown_.other}) {
    if (!launch) continue;
    QStringList words;
    for (const std::string& note : launch->notes) words << qt(note);
    about << (shown_.other ? qt(launch->selector) + ": " : QString()) + words.join(" ");
    // Above one timeline there is room for it; two need it for their rows, unless the rows have holes.
    if (!shown_.other || launch->timeline.columns.dropped > 0) lines << about.back();
  }
  tables_->set_about(shown_.other ? about.join("\n") : QString());
  notes_->setText(lines.join("\n"));
}

// A wrong row filter leaves the rows as they were, and is said.
void TimelinePage::show_rows(TimelineView& view, const timeline::Launch& launch) {
  try {
    view.set_choices(choices_->rows_of(launch));
    filter_problem_.clear();
  } catch (const Failure& failure) {
    filter_problem_ = std::string("Row filter: ") + failure.what();
  }
}

void TimelinePage::restyle() {
  if (shown_.first) follow_view();
}

void TimelinePage::follow_view() {
  const ViewState& view = session().view();
  choices_->follow();
  const bool ours = zoom_is_of_shown();
  const auto zoom = view.zooms.find(kTime), area = view.zooms.find(kArea);
  for (const auto& [widget, launch] : {std::pair(first_, shown_.first), std::pair(second_, shown_.other)}) {
    if (!launch) continue;
    show_rows(*widget, *launch);
    const double by = widget == first_ ? 0 : other_begins_later_ns_;
    const timeline::Range range = ours && zoom != view.zooms.end() ? range_of(zoom->second) : shown_.first->opening;
    widget->set_range({range.begin_ns + by, range.end_ns + by});
  }
  std::optional<timeline::Area> wanted;
  if (ours && area != view.zooms.end()) {
    wanted = {range_of(area->second), timeline::tracks_in(shown_.first->timeline.columns, view.option(kArea, ""))};
  }
  first_->set_area(wanted);
  if (shown_.other) second_->set_area(moved_area(wanted, true));
  show_notes();
  ask_totals();
  ask_matrix();
}

timeline::Area TimelinePage::area_of_totals() const {
  return first_->area() ? *first_->area() : timeline::everything(shown_.first->timeline.columns);
}

// Added up on the loader's thread: it may be millions.
void TimelinePage::ask_totals() {
  const auto launch = shown_.first;
  const timeline::Area area = area_of_totals();
  if (added_up_ == area) return;
  added_up_ = area;
  ask<report::Table>(
      "timeline totals",
      [launch, area](store::Store&) { return timeline::totals_table(launch->timeline.columns, area); },
      [this](std::shared_ptr<const report::Table> table) {
        tables_->set_totals(*table, qt((shown_.other ? shown_.first->selector + ": " : "") + table->title));
      });
}

// Of the area, else of the time that is seen; of the plan where nothing else is shown.
void TimelinePage::ask_matrix() {
  if (!tables_->shows_matrix() || !shown_.first) return;
  const auto launch = shown_.first;
  timeline::Area area = area_of_totals();
  if (!first_->area()) area.time = first_->range();
  const bool plan = choices_->planned_only() || launch->steps.begin_ns.empty();
  if (matrix_of_ == std::pair(area, plan)) return;
  matrix_of_ = std::pair(area, plan);
  ask<timeline::CommMatrix>(
      "timeline matrix",
      [launch, area, plan](store::Store&) {
        return timeline::comm_matrix(launch->timeline.columns, area,
                                     plan ? activity::Origin::planned : activity::Origin::measured);
      },
      [this](std::shared_ptr<const timeline::CommMatrix> matrix) { tables_->set_matrix(*matrix); });
}

void TimelinePage::ask_diff() {
  if (!shown_.other) return tables_->set_diff({});
  const auto a = shown_.first, b = shown_.other;
  ask<report::Table>(
      "timeline diff",
      [a, b](store::Store&) {
        return timeline::diff({a->timeline.columns, a->title()}, {b->timeline.columns, b->title()});
      },
      [this](std::shared_ptr<const report::Table> table) { tables_->set_diff(*table); });
}

std::vector<report::Table> TimelinePage::tables() const {
  return shown_.first ? tables_->tables() : std::vector<report::Table>{};
}

}  // namespace lockstep::gui
