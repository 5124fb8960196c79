#include "gui/widgets/pages/timeline.h"

#include <fmt/ranges.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <sstream>

#include "gui/core/text.h"
#include "gui/core/timeline/describe.h"
#include "gui/core/timeline/diff.h"
#include "gui/core/timeline/track_filter.h"
#include "gui/widgets/kind_legend.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/timeline_view.h"
#include "profiler/sinks/kind_names.h"

namespace lockstep::gui {
namespace {

using timeline::Arrangement;

constexpr const char *kTime = "timeline.time", *kArea = "timeline.area", *kOf = "timeline.of", *kShow = "timeline.show",
                     *kRows = "timeline.rows", *kCollapsed = "timeline.collapsed", *kPinned = "timeline.pinned";

struct ShowRow {
  const char *id, *title;
  Arrangement arrangement;
};
constexpr ShowRow kShows[] = {{"overlay", "plan above what was measured", Arrangement::overlay},
                              {"side", "plan, then what was measured", Arrangement::side_by_side},
                              {"measured", "measured only", Arrangement::measured},
                              {"planned", "planned only", Arrangement::planned}};

std::set<int32_t> ranks_in(const std::string& text) {
  std::set<int32_t> out;
  std::istringstream in(text);
  for (int32_t rank = 0; in >> rank;) out.insert(rank);
  return out;
}

timeline::Range range_of(const std::pair<double, double>& zoom) { return {zoom.first, zoom.second}; }

QLabel* label_for(const char* text, QWidget* buddy) {
  auto* out = new QLabel(text);
  out->setBuddy(buddy);
  return out;
}

}  // namespace

TimelinePage::TimelinePage(Session& session, Loader& loader)
    : Page(session, loader),
      launch_(new QComboBox),
      other_(new QComboBox),
      show_(new QComboBox),
      filter_(new QLineEdit),
      notes_(text_label({})),
      details_(text_label({})),
      legend_(new KindLegend),
      splitter_(new QSplitter(Qt::Vertical)),
      first_(new TimelineView),
      second_(new TimelineView),
      tabs_(new QTabWidget),
      totals_(new TableView),
      diff_(new TableView) {
  details_->setAlignment(Qt::AlignTop);
  details_->setMinimumWidth(250);
  details_->setMaximumWidth(320);
  tabs_->addTab(totals_, "Activities by name");
  auto* below = new QWidget;
  auto* row = new QHBoxLayout(below);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(tabs_, 1);
  row->addWidget(details_);
  splitter_->addWidget(first_);
  splitter_->addWidget(second_);
  splitter_->addWidget(below);
  splitter_->setStretchFactor(0, 3);
  splitter_->setStretchFactor(1, 3);
  splitter_->setStretchFactor(2, 2);
  splitter_->setChildrenCollapsible(false);
  content()->addWidget(choices_rows());
  content()->addWidget(notes_);
  content()->addWidget(splitter_, 1);
  second_->setAccessibleName("Timeline of the second launch");
  second_->hide();
  diff_->hide();
  connect(totals_, &TableView::opened, this, [this](const QString& key) {
    if (!shown_.first) return;
    const auto found = timeline::longest_of(shown_.first->timeline.columns, area_of_totals(), utf8(key));
    if (found) first_->reveal(*found);
  });
  connect_view(first_, true);
  connect_view(second_, false);
}

QWidget* TimelinePage::choices_rows() {
  auto* out = new QWidget;
  auto* rows = new QVBoxLayout(out);
  rows->setContentsMargins(0, 0, 0, 0);
  for (QComboBox* box : {launch_, other_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(16);
  }
  launch_->setAccessibleName("Launch");
  other_->setAccessibleName("Launch to compare with");
  show_->setAccessibleName("Planned or measured");
  for (const ShowRow& one : kShows) show_->addItem(one.title, one.id);
  filter_->setAccessibleName("Row filter");
  filter_->setPlaceholderText("rows: rank<4 track:comm -origin:planned");
  filter_->setToolTip("Hides rows; changes no number. Columns: rank, track, origin.");
  filter_->setClearButtonEnabled(true);
  filter_->setMinimumWidth(filter_->fontMetrics().horizontalAdvance(filter_->placeholderText()) + 24);
  auto* launches = new QHBoxLayout;
  launches->addWidget(label_for("&Launch", launch_));
  launches->addWidget(launch_, 1);
  launches->addWidget(label_for("a&gainst", other_));
  launches->addWidget(other_, 1);
  auto* looks = new QHBoxLayout;
  looks->addWidget(label_for("&Show", show_));
  looks->addWidget(show_);
  looks->addWidget(filter_);
  looks->addWidget(legend_, 1);
  rows->addLayout(launches);
  rows->addLayout(looks);
  connect(launch_, &QComboBox::activated, this, [this](int i) {
    session().change([&](ViewState& view) { view.launch = utf8(launch_->itemData(i).toString()); });
  });
  connect(other_, &QComboBox::activated, this, [this](int i) {
    session().change(
        [&](ViewState& view) { view.options[timeline::kOtherOption] = utf8(other_->itemData(i).toString()); });
  });
  connect(show_, &QComboBox::activated, this, [this](int i) {
    session().change([&](ViewState& view) { view.options[kShow] = utf8(show_->itemData(i).toString()); });
  });
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    session().change([&](ViewState& view) { view.options[kRows] = utf8(text.trimmed()); }, kRows);
  });
  return out;
}

void TimelinePage::connect_view(TimelineView* view, bool first) {
  connect(view, &TimelineView::range_wanted, this, [this, first](const timeline::Range& range) {
    const double by = first ? 0 : other_begins_later_ns_;
    change_zoom([&](ViewState& state) { state.zooms[kTime] = {range.begin_ns - by, range.end_ns - by}; }, kTime);
  });
  connect(view, &TimelineView::selection_changed, this,
          [this, view, first] { show_details(*view, first ? shown_.first : shown_.other); });
  connect(view, &TimelineView::collapse_wanted, this, [this](int rank) { toggle_rank(kCollapsed, rank); });
  connect(view, &TimelineView::pin_wanted, this, [this](int rank) { toggle_rank(kPinned, rank); });
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

void TimelinePage::toggle_rank(const char* option, int rank) {
  std::set<int32_t> ranks = ranks_in(session().view().option(option, ""));
  if (!ranks.erase(rank)) ranks.insert(rank);
  session().change([&](ViewState& view) { view.options[option] = fmt::format("{}", fmt::join(ranks, " ")); });
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
  ask<timeline::Loaded>(
      "timeline", [view, known](store::Store& store) { return timeline::load(store, view, known); },
      [this](std::shared_ptr<const timeline::Loaded> loaded) { show_loaded(*loaded); });
}

void TimelinePage::show_loaded(const timeline::Loaded& loaded) {
  const bool same = loaded.first == shown_.first && loaded.other == shown_.other;
  shown_ = loaded;
  if (!shown_.first) say(qt(loaded.missing));
  splitter_->setVisible(shown_.first != nullptr);
  notes_->setVisible(shown_.first != nullptr), legend_->setVisible(shown_.first != nullptr);
  show_choosers(loaded);
  show_notes();
  if (same) return;
  added_up_.reset();
  first_->set_launch(shown_.first);
  second_->set_launch(shown_.other);
  second_->setVisible(shown_.other != nullptr);
  align_other();
  show_details(*first_, shown_.first);
  if (!shown_.first) {
    totals_->set_table({}), diff_->set_table({});
    return;
  }
  show_legend();
  ask_diff();
  follow_view();
}

void TimelinePage::show_legend() {
  std::array<bool, profiler::kKindNames.size()> there{};
  bool planned = false;
  for (const auto& launch : {shown_.first, shown_.other}) {
    if (!launch) continue;
    for (const activity::Kind kind : launch->timeline.columns.kind) there[static_cast<size_t>(kind)] = true;
    for (const timeline::Track& track : launch->timeline.columns.tracks) {
      planned = planned || track.origin == activity::Origin::planned;
    }
  }
  std::vector<activity::Kind> kinds;
  for (size_t i = 0; i < there.size(); ++i) {
    if (there[i]) kinds.push_back(static_cast<activity::Kind>(i));
  }
  legend_->set_kinds(std::move(kinds), planned);
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

void TimelinePage::show_choosers(const timeline::Loaded& loaded) {
  const auto fill = [&](QComboBox* box, const std::shared_ptr<const timeline::Launch>& shown, bool none) {
    std::vector<std::pair<QString, QString>> entries, before;
    if (none) entries.emplace_back("no other launch", "");
    for (const timeline::Recorded& one : loaded.recorded) {
      entries.emplace_back(qt(one.selector + "  " + one.cell), qt(one.selector));
    }
    const auto is_shown = [&](const auto& entry) { return entry.second == qt(shown->selector); };
    if (shown && std::none_of(entries.begin(), entries.end(), is_shown)) {
      entries.emplace_back(qt(shown->title()), qt(shown->selector));
    }
    for (int i = 0; i < box->count(); ++i) before.emplace_back(box->itemText(i), box->itemData(i).toString());
    if (entries != before) {  // an open list stays open while others write to the store
      box->clear();
      for (const auto& [text, selector] : entries) box->addItem(text, selector);
    }
    box->setCurrentIndex(shown ? box->findData(qt(shown->selector)) : none ? 0 : -1);
    box->setToolTip(shown ? qt(shown->title()) : QString());
  };
  fill(launch_, loaded.first, false);
  fill(other_, loaded.other, true);
}

void TimelinePage::show_notes() {
  QStringList lines;
  if (!filter_problem_.empty()) lines << qt(filter_problem_);
  if (!shown_.missing.empty()) lines << qt(shown_.missing);  // of the second launch
  if (!shown_.redirected.empty()) lines << qt(shown_.redirected);
  if (!aligned_.empty()) lines << qt(aligned_);
  for (const auto& launch : {shown_.first, shown_.other}) {
    if (!launch) continue;
    QStringList words;
    for (const std::string& note : launch->notes) words << qt(note);
    lines << (shown_.other ? qt(launch->selector) + ": " : QString()) + words.join(" ");
  }
  notes_->setText(lines.join("\n"));
}

timeline::RowChoices TimelinePage::choices_for(const timeline::Launch& launch) {
  const ViewState& view = session().view();
  timeline::RowChoices out;
  const std::string show = view.option(kShow, kShows[0].id);
  for (const ShowRow& one : kShows) {
    if (show == one.id) out.arrangement = one.arrangement;
  }
  out.collapsed = ranks_in(view.option(kCollapsed, "")), out.pinned = ranks_in(view.option(kPinned, ""));
  try {
    out.hidden = timeline::hidden_tracks(launch.timeline.columns, view.option(kRows, ""));
    filter_problem_.clear();
  } catch (const Failure& failure) {
    filter_problem_ = std::string("Row filter: ") + failure.what();
  }
  return out;
}

void TimelinePage::restyle() {
  if (shown_.first) follow_view();
}

void TimelinePage::follow_view() {
  const ViewState& view = session().view();
  const QString rows = qt(view.option(kRows, ""));
  if (filter_->text().trimmed() != rows) filter_->setText(rows);
  show_->setCurrentIndex(std::max(0, show_->findData(qt(view.option(kShow, kShows[0].id)))));
  const bool ours = zoom_is_of_shown();
  const auto zoom = view.zooms.find(kTime), area = view.zooms.find(kArea);
  for (const auto& [widget, launch] : {std::pair(first_, shown_.first), std::pair(second_, shown_.other)}) {
    if (!launch) continue;
    widget->set_choices(choices_for(*launch));
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
        totals_->set_table(*table);
        tabs_->setTabText(0, qt((shown_.other ? shown_.first->selector + ": " : "") + table->title));
      });
}

void TimelinePage::ask_diff() {
  const bool shown = tabs_->count() > 1;
  if (!shown_.other && shown) tabs_->removeTab(1);
  diff_->setVisible(shown_.other != nullptr);
  if (!shown_.other) return diff_->set_table({});
  if (!shown) tabs_->addTab(diff_, "Difference by name");
  tabs_->setCurrentWidget(diff_);
  const auto a = shown_.first, b = shown_.other;
  ask<report::Table>(
      "timeline diff",
      [a, b](store::Store&) {
        return timeline::diff({a->timeline.columns, a->title()}, {b->timeline.columns, b->title()});
      },
      [this](std::shared_ptr<const report::Table> table) { diff_->set_table(*table); });
}

std::vector<report::Table> TimelinePage::tables() const {
  std::vector<report::Table> out;
  if (!shown_.first) return out;
  out.push_back(totals_->shown().shown());
  if (shown_.other) out.push_back(diff_->shown().shown());
  return out;
}

}  // namespace lockstep::gui
